import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { callApi } from '../../server/src/cli/simulate/portal-session.ts'
import { it } from '../support/browser/browser.ts'
import { axeViolations, createWorld } from '../support/portal-world.ts'

const world = await createWorld()

async function open(page: Page): Promise<void> {
  await page.goto('/operator')
  await page.getByLabel('Operator key').fill(world.operatorKey)
  await page.getByRole('button', { name: 'Open console' }).click()
}

async function userStatus(accessToken: string): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` }
  return (await fetch(`${world.url}/core/v1/organization/users`, { headers })).status
}

describe('operator console', () => {
  it('a wrong key is refused; the right one opens health and traffic, which is kept in this tab only', async () => {
    await world.visit({ signedIn: false }, async (page) => {
      await page.goto('/operator')
      await page.getByLabel('Operator key').fill('not the key at all, but long enough to be one')
      await page.getByRole('button', { name: 'Open console' }).click()
      await page.getByText('Wrong operator key.').waitFor()
      await open(page)
      await page.getByText('Ready', { exact: true }).waitFor()
      await page.getByText('Busiest routes').waitFor()
      await page.getByRole('button', { name: 'Lock console' }).click()
      await page.getByLabel('Operator key').waitFor()
    })
  })

  it('2.1 disabling says how many grants it revokes, and revokes them; enabling gives none back; a secret is rotated', async () => {
    const { application } = world
    await world.visit({ signedIn: false }, async (page) => {
      await open(page)
      await page.getByRole('link', { name: 'Applications' }).click()
      await page.getByRole('row').getByRole('link', { name: application.name }).click()
      await page.getByRole('button', { name: 'Disable' }).click()
      await page.getByText('1 grant is revoked immediately').waitFor()
      await page.getByRole('dialog').getByRole('textbox').fill(application.name)
      await page.getByRole('dialog').getByRole('button', { name: 'Disable application' }).click()
      await page.getByText('Disabled. 1 grant was revoked.').waitFor()
      assert.equal(await userStatus(world.tokens.access_token), 401)
      await page.getByRole('button', { name: 'Enable' }).click()
      await page.getByText('Its grants stay revoked').waitFor()
      assert.equal(await userStatus(world.tokens.access_token), 401)
      await page.getByRole('button', { name: 'Rotate secret' }).click()
      await page.getByRole('button', { name: 'Create new secret' }).click()
      await page.getByText(/^lbs_[\w-]{20,}$/).waitFor()
      await page.getByRole('button', { name: 'I have copied it' }).click()
    })
  })

  it('people are searched, and sorted by name', async () => {
    await world.visit({ signedIn: false }, async (page) => {
      await open(page)
      await page.getByRole('link', { name: 'People' }).click()
      const table = page.getByRole('table', { name: 'People' })
      await table.getByRole('button', { name: 'Name' }).click()
      await page.waitForURL(/sort=name/)
      await table.getByRole('row').nth(1).getByText('Ada Byron').waitFor()
      await table.getByRole('button', { name: 'Name' }).click()
      await page.waitForURL(/sort=-name/)
      await table.getByRole('row').last().getByText('Ada Byron').waitFor()
      await page.getByRole('textbox', { name: 'Search people' }).fill('okri')
      await page.getByText('1 account', { exact: true }).waitFor()
    })
  })

  it('decision 6.46: what a partner wants customers to see is compared, refused with a reason, or approved', async () => {
    const { application, partner } = world
    const path = `/core/v1/partner/applications/${application.client_id}`
    const asPartner = { 'landbridge-partner': partner.id }
    await world.visit({ signedIn: false }, async (page) => {
      await open(page)
      await page.getByRole('link', { name: '1 partner request', exact: true }).click()
      const request = page.getByRole('article')
      await request.getByRole('cell', { name: 'https://insights.northwind.example' }).waitFor()
      await request.getByRole('img', { name: 'Requested logo' }).waitFor()
      await request.getByText('domain not verified').waitFor()
      assert.deepEqual(await axeViolations(page), [])
      await request.getByRole('button', { name: 'Refuse' }).click()
      await page.getByRole('dialog').getByLabel('Reason').fill('Somebody else has this logo.')
      await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click()
      await page.getByText('Nothing to approve').waitFor()
      const refused = await world.admin.call('GET', path, undefined, asPartner)
      assert.equal(refused.requested_change.reason, 'Somebody else has this logo.')
      await world.admin.call('PATCH', path, { name: 'Insights Two' }, asPartner)
      await page.reload()
      await request.getByRole('cell', { name: 'Insights Two' }).waitFor()
      // Replaced after it was shown: the click approves nothing that was not seen.
      await world.admin.call('PATCH', path, { name: 'Insights Three' }, asPartner)
      await request.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('has changed its request since you read it').waitFor()
      await request.getByRole('cell', { name: 'Insights Three' }).waitFor()
      await request.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('Nothing to approve').waitFor()
      assert.equal((await world.admin.call('GET', path, undefined, asPartner)).name, 'Insights Three')
    })
    const headers = { authorization: world.operatorKey }
    const { client_id, name } = application
    await callApi(`${world.url}/core/v1/operator/applications/${client_id}`, 'PATCH', { name }, headers)
  })

  it('decision 6.53: a partner asks for an application with reasons, is refused, asks again, and the operator registers it', async () => {
    const applications = `/partner/${world.partner.id}/applications`
    const ask = async (verb: string, fill: (page: Page) => Promise<void>) =>
      world.visit({}, async (page) => {
        await page.goto(applications)
        await page.getByRole('button', { name: verb, exact: true }).click()
        await fill(page)
        await page.getByText('Sent to the operator for approval.').first().waitFor()
        await page.getByRole('article', { name: 'Request for Northwind Desk' }).getByText('Waits for').waitFor()
        assert.deepEqual(await axeViolations(page), [])
      })
    await ask('Ask for a new application', async (page) => {
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('textbox', { name: 'Name' }).fill('Northwind Desk')
      await dialog.getByLabel('Redirect URIs').fill('https://desk.northwind.example/callback')
      await dialog.getByRole('radio', { name: 'Only what it needs' }).check()
      await dialog.getByRole('combobox', { name: 'Devices' }).click()
      await page.getByRole('option', { name: 'See', exact: true }).click()
      await dialog.getByLabel('Why it needs devices').fill('Shows which desks are free.')
      assert.deepEqual(await axeViolations(page), [])
      await dialog.getByRole('button', { name: 'Ask the operator' }).click()
    })
    const request = (page: Page) => page.getByRole('article', { name: /^New application Northwind Desk/ })
    await world.visit({ signedIn: false }, async (page) => {
      await open(page)
      await page.getByRole('link', { name: '1 partner request', exact: true }).click()
      await request(page).getByText('“Shows which desks are free.”').waitFor()
      assert.deepEqual(await axeViolations(page), [])
      await request(page).getByRole('button', { name: 'Refuse' }).click()
      await page.getByRole('dialog').getByLabel('Reason').fill('Which desks?')
      await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click()
      await page.getByText('Nothing to approve').waitFor()
    })
    await ask('Change and ask again', async (page) => {
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Why it needs devices').fill('Shows which desks of an office are free.')
      await dialog.getByRole('button', { name: 'Ask again' }).click()
    })
    await world.visit({ signedIn: false }, async (page) => {
      await open(page)
      await page.getByRole('link', { name: 'Partner requests' }).click()
      await request(page).getByRole('button', { name: 'Approve' }).click()
      await page.getByRole('dialog').getByText('client_secret=').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'I have copied it' }).click()
      await page.getByText('Nothing to approve').waitFor()
    })
    await world.visit({}, async (page) => {
      await page.goto(applications)
      await page.getByRole('link', { name: 'Northwind Desk' }).click()
      await page.getByRole('tab', { name: 'Permissions' }).click()
      await page.getByRole('radio', { name: 'Everything' }).check()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Permissions: Everything but commands to devices').waitFor()
      await page.getByRole('button', { name: 'Withdraw' }).click()
      await page.getByText('Waits for approval by the operator').waitFor({ state: 'detached' })
    })
  })

  it('a person who is added and already has an account is invited; the operator shares the link', async () => {
    await world.visit({ signedIn: false }, async (page) => {
      await open(page)
      await page.getByRole('link', { name: 'Customers' }).click()
      await page.getByRole('button', { name: 'New customer' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Quay Hotels')
      await dialog.getByRole('combobox', { name: 'Partner' }).click()
      await page.getByRole('option', { name: 'Northwind Controls' }).click()
      await dialog.getByLabel('First administrator').fill('Ada')
      await dialog.getByLabel('Email').fill('ada@northwind.example')
      await dialog.getByRole('textbox', { name: 'Password' }).fill('not the one she has')
      await dialog.getByRole('button', { name: 'Create customer' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Invitations' }).click()
      const row = page.getByRole('row', { name: /ada@northwind\.example/ })
      await row.getByText('Quay Hotels').waitFor()
      await row.getByRole('button', { name: 'Get link' }).click()
      await dialog.getByRole('button', { name: 'Create link' }).click()
      await dialog.getByText(`${world.url}/link/lbo_`).waitFor()
      await dialog.getByRole('button', { name: 'I have copied it' }).click()
    })
  })

  it('a partner and its application are created; a key that no longer works is asked for over the form', async () => {
    await world.visit({ signedIn: false }, async (page) => {
      await open(page)
      await page.getByRole('link', { name: 'Partners' }).click()
      await page.getByRole('button', { name: 'New partner' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Fjord Systems')
      await dialog.getByLabel('First person').fill('Kari Nordmann')
      await dialog.getByLabel('Email').fill('kari@fjord.example')
      await dialog.getByRole('textbox', { name: 'Password' }).fill('long enough a password')
      // As after the operator's key was changed.
      const operations = '**/core/v1/operator/**'
      await page.route(operations, (route) => route.fulfill({ status: 401, json: { code: 'unauthorized' } }))
      await page.getByRole('button', { name: 'Create partner' }).click()
      const asked = page.getByRole('dialog', { name: 'The operator key no longer works' })
      await asked.waitFor()
      assert.deepEqual(await axeViolations(page), [])
      await page.unroute(operations)
      await asked.getByLabel('Operator key').fill(world.operatorKey)
      await asked.getByRole('button', { name: 'Continue' }).click()
      await asked.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Create partner' }).click()
      await page.getByRole('link', { name: 'Fjord Systems' }).click()
      await page.getByRole('button', { name: 'New application' }).click()
      await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Fjord App')
      await dialog.getByLabel('Redirect URIs').fill('https://fjord.example/callback')
      await page.getByRole('button', { name: 'Register' }).click()
      await page.getByText('Fjord App registered').waitFor()
      await page.getByRole('button', { name: 'I have copied it' }).click()
    })
  })

  it('a customer is created with its first administrator, who can sign in', async () => {
    const nia = { email: 'nia@lakeside.example', password: 'long enough a password' }
    await world.visit({ signedIn: false }, async (page) => {
      await open(page)
      await page.getByRole('link', { name: 'Customers' }).click()
      await page.getByRole('button', { name: 'New customer' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Lakeside Clinics')
      await dialog.getByRole('combobox', { name: 'Partner' }).click()
      await page.getByRole('option', { name: 'Northwind Controls' }).click()
      await dialog.getByLabel('First administrator').fill('Nia Park')
      await dialog.getByLabel('Email').fill(nia.email)
      await dialog.getByRole('textbox', { name: 'Password' }).fill('short')
      await dialog.getByRole('button', { name: 'Create customer' }).click()
      await dialog.locator('.mantine-PasswordInput-error').waitFor()
      await dialog.getByRole('textbox', { name: 'Password' }).fill(nia.password)
      await dialog.getByRole('button', { name: 'Create customer' }).click()
      await dialog.waitFor({ state: 'detached' })
      const rows = page.getByRole('table', { name: 'Customers' }).getByRole('row', { name: /Lakeside Clinics/ })
      await rows.waitFor()
      assert.equal(await rows.count(), 1, 'the refused password created no second one')

      await page.goto('/sign-in')
      await page.getByLabel('Email').fill(nia.email)
      await page.getByLabel('Password').fill(nia.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('Claim your first device').waitFor()
    })
  })

  it('4.7 a key that never signed is removed altogether; the last that signs is not; a compromised one is revoked immediately', async () => {
    const published = async () => {
      const response = await fetch(`${world.url}/oauth/.well-known/jwks.json`)
      const { keys } = (await response.json()) as { keys: { kid: string; alg: string }[] }
      return keys
    }
    const isPublished = async (kid: string) => (await published()).some((key) => key.kid === kid)
    const signing = (await published()).find(({ alg }) => alg === 'ES256')!.kid
    await world.visit({ signedIn: false }, async (page) => {
      await open(page)
      await page.getByRole('link', { name: 'Signing keys' }).click()
      const panelOf = (kid: string) => page.locator('section').filter({ hasText: kid })
      const dialog = page.getByRole('dialog')
      const end = async (kid: string, action: string, verb: string) => {
        await panelOf(kid).getByRole('button', { name: action }).click()
        assert.ok(await dialog.getByRole('button', { name: verb }).isDisabled())
        await dialog.getByRole('textbox').fill(kid.slice(0, 8))
        await dialog.getByRole('button', { name: verb }).click()
        await dialog.waitFor({ state: 'detached' })
      }
      const add = async () => {
        await page.getByRole('button', { name: 'Add key' }).click()
        await page.getByRole('menuitem', { name: /^ES256/ }).click()
        await page.locator('section').filter({ hasText: 'Published, signing soon' }).waitFor()
        return (await published()).find(({ alg, kid }) => alg === 'ES256' && kid !== signing)!.kid
      }
      const fresh = await add()
      await end(fresh, 'Remove', 'Remove key')
      await panelOf(fresh).waitFor({ state: 'detached' })
      assert.ok(!(await isPublished(fresh)))

      await panelOf(signing).getByRole('button', { name: 'Remove' }).click()
      await dialog.getByRole('textbox').fill(signing.slice(0, 8))
      await dialog.getByRole('button', { name: 'Remove key' }).click()
      await dialog.getByText('the only key of its algorithm that can sign').waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      const next = await add()
      await end(signing, 'Revoke as compromised', 'Revoke key')
      await panelOf(next).getByText('Signing', { exact: true }).waitFor()
      await panelOf(signing).waitFor({ state: 'detached' })
      assert.ok(!(await isPublished(signing)))
    })
  })

  it('the limits in force and the audit log, which names the actor', async () => {
    await world.visit({ signedIn: false }, async (page) => {
      await open(page)
      await page.getByRole('link', { name: 'Limits' }).click()
      await page.getByRole('row', { name: /Authorization endpoint.*600/ }).waitFor()
      await page.getByRole('row', { name: /Refresh token lifetime.*90 days/ }).waitFor()
      await page.getByRole('link', { name: 'Audit log' }).click()
      const claimed = page.getByRole('row', { name: /Device claimed/ }).first()
      await claimed.getByText('Ada Byron').waitFor()
      await claimed.getByText(/Ada Byron claimed/).waitFor()
      await claimed.getByRole('button', { name: 'Device claimed' }).click()
      await page.getByText(world.customer.id).first().waitFor()
    })
  })

  it('the audit log is exported from its page, as it is filtered', async () => {
    await world.visit({ signedIn: false }, async (page) => {
      await open(page)
      await page.getByRole('link', { name: 'Audit log' }).click()
      await page
        .getByRole('row', { name: /Device claimed/ })
        .first()
        .waitFor()
      await page.goto(`${page.url()}?type=device.claimed`)
      const save = async (format: RegExp) => {
        await page.getByRole('button', { name: 'Export' }).click()
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('menuitem', { name: format }).click(),
        ])
        return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
      }
      const csv = await save(/^CSV$/)
      assert.match(csv.name, /^[\w-]+_audit-log_\d{4}-\d\d-\d\d\.csv$/)
      assert.match(csv.text, /^\ufeffid,at,type,/)
      const jsonl = await save(/^JSON lines$/)
      const types = jsonl.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).type)
      assert.ok(types.length > 0 && types.every((type) => type === 'device.claimed'))
    })
  })
})
