import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { it } from '../support/browser/browser.ts'
import { axeViolations, createWorld } from '../support/portal-world.ts'

const world = await createWorld()
const at = (path: string) => `/customer/${world.customer.id}${path}`
const atPartner = (path: string) => `/partner/${world.partner.id}${path}`
const password = 'a quite new password'

async function chooseAction(page: Page, on: string, verb: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${on}` }).click()
  await page.getByRole('menuitem', { name: verb }).click()
}

/** Reads the link from the dialog that shows it once. */
async function readLink(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog')
  const link = await dialog.getByText(`${world.url}/link/lbo_`).textContent()
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await dialog.waitFor({ state: 'detached' })
  return link!.trim()
}

async function setPassword(page: Page): Promise<void> {
  for (const field of await page.locator('input[type=password]').all()) await field.fill(password)
}

describe('users and groups', () => {
  it('a group is created, people are added and removed, it is renamed and deleted', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/groups'))
      const table = page.getByRole('table', { name: 'Groups', exact: true })
      const dialog = page.getByRole('dialog')
      await page.getByRole('button', { name: 'New group' }).click()
      await dialog.getByLabel('Name').fill('Night shift')
      await dialog.getByRole('button', { name: 'Create group' }).click()
      await table.getByRole('button', { name: 'Night shift', exact: true }).click()
      await dialog.getByText('No members yet').waitFor()
      await dialog.getByRole('combobox', { name: 'Add a person' }).click()
      await page.getByRole('option', { name: /Ben Okri/ }).click()
      await dialog.getByRole('cell', { name: 'Ben Okri' }).waitFor()
      await dialog.getByRole('button', { name: 'Remove' }).click()
      await dialog.getByText('No members yet').waitFor()
      await dialog.getByRole('button', { name: 'Close' }).click()
      const search = page.getByRole('textbox', { name: 'Search groups' })
      await search.fill('no such')
      await page.getByText('No group found').waitFor()
      await search.fill('SHIFT')
      await page.getByText('1 group', { exact: true }).waitFor()
      await chooseAction(page, 'Night shift', 'Rename')
      await dialog.getByLabel('Name').fill('Late shift')
      await dialog.getByRole('button', { name: 'Rename' }).click()
      await chooseAction(page, 'Late shift', 'Delete')
      await dialog.getByRole('button', { name: 'Delete group' }).click()
      await table.getByRole('button', { name: 'Late shift', exact: true }).waitFor({ state: 'detached' })
    })
  })

  it('an invited person opens the link, chooses a password and joins; the link works once', async () => {
    let link = ''
    await world.visit({}, async (page) => {
      await page.goto(at('/users'))
      await page.getByRole('button', { name: 'Invite user' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Email').fill('nia@harbour.example')
      await dialog.getByRole('radio', { name: 'Administrator' }).check()
      await dialog.getByRole('button', { name: 'Create invitation link' }).click()
      link = await readLink(page)
      await page.getByRole('table', { name: 'Invitations' }).getByText('nia@harbour.example').waitFor()
      await page.getByText('in 7 days').first().waitFor()
      const users = page.getByRole('table', { name: 'Users', exact: true })
      await users.getByRole('button', { name: 'Name' }).click()
      await page.waitForURL(/sort=name/)
      await page.getByRole('textbox', { name: 'Search users' }).fill('okri')
      await users.getByText('Ben Okri').waitFor()
      await page.getByText('1 user', { exact: true }).waitFor()
      await page.getByRole('textbox', { name: 'Search users' }).fill('nobody at all')
      await page.getByText('Nobody found').waitFor()
    })
    await world.visit({ signedIn: false }, async (page) => {
      await page.goto(link)
      await page.getByLabel('Your name').fill('Nia Park')
      await setPassword(page)
      await page.getByRole('button', { name: 'Create an account and join' }).click()
      await page.waitForURL((url) => url.pathname === at(''))
      await page.getByText('Recent activity').waitFor()
      await page.goto(link)
      await page.getByText('This link is no longer valid').waitFor()
    })
  })

  it('an application invites without a link; an administrator creates and shares it', async () => {
    let link = ''
    const invited = await fetch(`${world.url}/core/v1/organization/invitations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.tokens.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'olu@harbour.example', role: 'member' }),
    })
    assert.deepEqual([invited.status, ((await invited.json()) as { link: unknown }).link], [201, null])
    await world.visit({}, async (page) => {
      await page.goto(at('/users'))
      const row = page.getByRole('table', { name: 'Invitations' }).getByRole('row', { name: /olu@harbour\.example/ })
      await row.getByText(world.application.name).waitFor()
      await row.getByText('Not created yet').waitFor()
      await row.getByRole('button', { name: 'Get link' }).click()
      await page.getByText(`${world.application.name} invited olu@harbour.example`).waitFor()
      assert.deepEqual(await axeViolations(page, 'colours'), [], 'an open dialog')
      if (process.env.LANDBRIDGE_TEST_PICTURES) {
        await page.screenshot({ path: `${process.env.LANDBRIDGE_TEST_PICTURES}/people-link.png` })
      }
      await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
      link = await readLink(page)
      await row.getByRole('button', { name: 'New link' }).waitFor()
    })
    await world.visit({ signedIn: false }, async (page) => {
      await page.goto(link)
      await page.getByLabel('Your name').fill('Olu Ade')
      await setPassword(page)
      await page.getByRole('button', { name: 'Create an account and join' }).click()
      await page.getByText('You are a member of Harbour Hotels').waitFor()
    })
  })

  it('an administrator shares a link to set a new password; the old one no longer works', async () => {
    let link = ''
    await world.visit({}, async (page) => {
      await page.goto(at('/users'))
      await chooseAction(page, 'Ben Okri', 'Reset password')
      await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
      link = await readLink(page)
    })
    await world.visit({ signedIn: false }, async (page) => {
      await page.goto(link)
      await setPassword(page)
      await page.getByRole('button', { name: 'Set password' }).click()
      await page.getByText('You are a member of Harbour Hotels').waitFor()
    })
    await world.visit({ signedIn: false }, async (page) => {
      const signIn = async (secret: string) => {
        await page.getByLabel('Email').fill(world.member.email)
        await page.getByLabel('Password').fill(secret)
        await page.getByRole('button', { name: 'Sign in' }).click()
      }
      await page.goto('/sign-in')
      await signIn(world.password)
      await page.getByRole('alert').waitFor()
      await signIn(password)
      await page.getByText('You are a member of Harbour Hotels').waitFor()
    })
  })

  it('a role changes and changes back, groups are chosen, a person is deactivated, and removed', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/users'))
      const row = page.getByRole('table', { name: 'Users', exact: true }).getByRole('row', { name: /Ben Okri/ })
      await page.getByRole('button', { name: 'Actions for Ben Okri' }).click()
      await page.getByRole('menuitem', { name: 'Make administrator' }).waitFor()
      assert.deepEqual(await axeViolations(page, 'colours'), [], 'an open menu')
      await page.getByRole('menuitem', { name: 'Make administrator' }).click()
      await row.getByText('Administrator', { exact: true }).waitFor()
      const toast = page.getByRole('alert').filter({ hasText: 'Ben Okri is now an administrator.' })
      await toast.getByRole('button', { name: 'Undo' }).click()
      await row.getByText('Member', { exact: true }).waitFor()
      await chooseAction(page, 'Ben Okri', 'Edit groups')
      const dialog = page.getByRole('dialog', { name: 'Groups of Ben Okri' })
      await dialog.getByRole('button', { name: 'Save' }).waitFor()
      assert.deepEqual(await axeViolations(page, 'colours'), [], 'an open dialog')
      await dialog.getByRole('combobox', { name: 'Groups' }).press('Backspace')
      await page.keyboard.press('Tab')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await row.getByText('Facility team').waitFor({ state: 'detached' })
      await chooseAction(page, 'Ben Okri', 'Deactivate')
      await row.getByText('Deactivated').waitFor()
      await world.sql`
        insert into grant_users (grant_id, user_id, connected_at)
        select g.id, u.id, now() from grants g, users u where u.email = ${world.member.email} and g.revoked_at is null`
      await page.reload()
      await chooseAction(page, 'Ben Okri', 'Remove from organization')
      const removal = page.getByRole('dialog')
      await removal.getByText('tokens belong to the organization').waitFor()
      await removal.getByRole('checkbox', { name: world.application.name }).check()
      assert.deepEqual(await axeViolations(page, 'colours'), [], 'the removal')
      if (process.env.LANDBRIDGE_TEST_PICTURES) {
        await page.screenshot({ path: `${process.env.LANDBRIDGE_TEST_PICTURES}/people-remove.png` })
      }
      await removal.getByRole('button', { name: 'Remove' }).click()
      await row.waitFor({ state: 'detached' })
      assert.equal(await page.getByRole('button', { name: 'Actions for Ben Okri' }).count(), 0)
      const headers = { authorization: `Bearer ${world.tokens.access_token}` }
      assert.equal((await fetch(`${world.url}/oauth/userinfo`, { headers })).status, 401, 'the tokens are revoked')
    })
  })
})

describe('the people and the audit log of a partner', () => {
  it('a colleague is invited and joins; one may leave, the last may not; the log shows it without who acts at customers', async () => {
    let link = ''
    await world.visit({}, async (page) => {
      await page.goto(atPartner('/people'))
      await page.getByText('Last member: invite someone before you leave').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Leave' }).count(), 0)
      await page.getByRole('button', { name: 'Invite person' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Email').fill('carl@northwind.example')
      await dialog.getByRole('button', { name: 'Create invitation link' }).click()
      link = (await dialog.getByText(`${world.url}/link/lbo_`).textContent())!.trim()
      await dialog.getByRole('button', { name: 'I have copied it' }).click()
      await page.getByRole('table', { name: 'Invitations' }).getByText('carl@northwind.example').waitFor()
    })
    await world.visit({ signedIn: false }, async (page) => {
      await page.goto(link)
      await page.getByLabel('Name').fill('Carl Long')
      for (const field of await page.locator('input[type=password]').all()) await field.fill(world.password)
      await page.locator('button.primary').click()
      await page.goto(atPartner('/people'))
      await page
        .getByRole('row', { name: /Carl Long/ })
        .getByText('You', { exact: true })
        .waitFor()
      await page.getByRole('button', { name: 'Leave' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('only another member can invite you again').waitFor()
      await dialog.getByRole('button', { name: 'Leave' }).click()
      await page.getByText('You have no access to this partner').waitFor()
    })
    await world.visit({}, async (page) => {
      await page.goto(atPartner('/audit-log'))
      await page.getByText('Carl Long removed').or(page.getByText('A user removed itself')).first().waitFor()
      await page.getByText('A customer claimed').first().waitFor()
      assert.equal(await page.getByLabel('Actor').count(), 0, 'it cannot be filtered by who acted')
      await page.getByRole('combobox', { name: 'Event type' }).click()
      await page.getByRole('option', { name: 'Partner member removed' }).click()
      await page.getByText('A customer claimed').first().waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Export' }).click()
      const downloading = page.waitForEvent('download')
      await page.getByRole('menuitem', { name: 'CSV' }).click()
      const rows = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\n')
      assert.equal(rows.length, 2)
      assert.match(rows[1]!, /partner_member\.removed/)
    })
  })
})
