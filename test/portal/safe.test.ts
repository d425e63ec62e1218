import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { it } from '../support/browser/browser.ts'
import { createWorld } from '../support/portal-world.ts'

const world = await createWorld()
const atCustomer = (path: string) => `/customer/${world.customer.id}${path}`
const atPartner = (path: string) => `/partner/${world.partner.id}${path}`

/** Two clicks before the page can draw anything in between. */
const clickTwice = (button: Locator) =>
  button.evaluate((element: HTMLElement) => {
    element.click()
    element.click()
  })

/** Collects the keys of every POST, and holds their responses back until `release`. */
async function holdPosts(page: Page): Promise<{ keys: (string | undefined)[]; release: () => void }> {
  const keys: (string | undefined)[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/core/v1/**', async (route) => {
    if (route.request().method() !== 'POST') return await route.fallback()
    keys.push(route.request().headers()['idempotency-key'])
    await promise
    await route.continue()
  })
  return { keys, release: resolve }
}

async function signIn(page: Page, { email, password = world.password }: { email: string; password?: string }) {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname !== '/sign-in')
}

describe('what is sent twice happens once', () => {
  const creations = [
    {
      what: 'API key',
      path: atCustomer('/settings/api-keys'),
      open: 'New API key',
      fill: (dialog: Locator) => dialog.getByLabel('Name').fill('Twice'),
      count: () => world.sql`select count(*)::int from api_keys where name = 'Twice'`,
    },
    {
      what: 'model',
      path: atPartner('/models'),
      open: 'New model',
      fill: (dialog: Locator) => dialog.getByLabel('Model name').fill('Twice'),
      count: () => world.sql`select count(*)::int from models where name = 'Twice'`,
    },
    {
      what: 'webhook',
      path: atPartner('/webhooks'),
      open: 'New webhook',
      fill: (dialog: Locator) => dialog.getByLabel('Address').fill('https://twice.example/events'),
      count: () => world.sql`select count(*)::int from webhook_endpoints where url = 'https://twice.example/events'`,
    },
  ]
  for (const { what, path, open, fill, count } of creations) {
    it(`two clicks in one moment create one ${what}, and its button waits`, async () => {
      await world.visit({}, async (page) => {
        await page.goto(path)
        await page.getByRole('button', { name: open }).first().click()
        const dialog = page.getByRole('dialog')
        await fill(dialog)
        const { keys, release } = await holdPosts(page)
        const button = dialog.locator('button[type=submit]')
        await clickTwice(button)
        await dialog.locator('button[type=submit][data-loading]').waitFor()
        assert.ok(await button.isDisabled())
        release()
        await button.waitFor({ state: 'detached' })
        assert.equal(keys.length, 1)
        assert.match(keys[0] ?? '', /^[0-9a-f]{32}$/)
        assert.equal((await count())[0]!.count, 1)
      })
    })
  }
})

describe('Undo', () => {
  const row = (page: Page) => page.getByRole('table', { name: 'Users', exact: true }).getByRole('row', { name: /Ben/ })
  const toast = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text })
  const choose = async (page: Page, verb: string) => {
    await page.getByRole('button', { name: 'Actions for Ben Okri' }).click()
    await page.getByRole('menuitem', { name: verb }).click()
  }

  it('does not overwrite what someone else changed meanwhile, and shows it', async () => {
    await world.visit({}, async (page) => {
      await page.goto(atCustomer('/users'))
      await choose(page, 'Make administrator')
      await toast(page, 'Ben Okri is now an administrator.').waitFor()
      const [ben] = await world.sql`select id from users where email = ${world.member.email}`
      const path = `/core/v1/organization/users/${ben!.id}`
      const headers = { 'landbridge-customer': world.customer.id, origin: world.url }
      const changed = await page.request.patch(path, { headers, data: { groups: [] } })
      assert.equal(changed.status(), 200)
      await toast(page, 'is now an administrator').getByRole('button', { name: 'Undo' }).click()
      await toast(page, 'Someone changed this meanwhile').waitFor()
      await row(page).getByText('Facility team').waitFor({ state: 'detached' })
      await row(page).getByText('Administrator', { exact: true }).waitFor()
    })
  })

  it('is not offered to who gives up their own rights, which is asked first', async () => {
    await world.visit({ signedIn: false }, async (page) => {
      await signIn(page, world.member)
      await page.goto(atCustomer('/users'))
      await choose(page, 'Make member')
      const dialog = page.getByRole('dialog', { name: 'Make yourself a member?' })
      await dialog.getByText('only another administrator can make you an administrator again').waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await row(page).getByText('Administrator', { exact: true }).waitFor()
      await choose(page, 'Make member')
      await dialog.getByRole('button', { name: 'Make me a member' }).click()
      await toast(page, 'Ben Okri is now a member.').waitFor()
      await page.getByText('You are a member of Harbour Hotels').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0)
    })
  })
})
