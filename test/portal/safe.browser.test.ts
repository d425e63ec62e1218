import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { it } from '../support/browser/browser.ts'
import { axeViolations, createWorld } from '../support/portal-world.ts'

const world = await createWorld()
const atCustomer = (path: string) => `/customer/${world.customer.id}${path}`
const atPartner = (path: string) => `/partner/${world.partner.id}${path}`

/** Two clicks before the page can draw anything in between. */
const clickTwice = (button: Locator) =>
  button.evaluate((element) => {
    const { click } = element as unknown as { click: () => void }
    click.call(element)
    click.call(element)
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
      await toast(page, 'Someone else changed this').waitFor()
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

/** With a folder in LANDBRIDGE_TEST_PICTURES: in light, dark and phone size. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.LANDBRIDGE_TEST_PICTURES
  if (!folder) return
  const size = page.viewportSize()!
  await page.screenshot({ path: `${folder}/${name}.png` })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.screenshot({ path: `${folder}/${name}-dark.png` })
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.screenshot({ path: `${folder}/${name}-phone.png` })
  await page.setViewportSize(size)
}

describe('while the service is away', () => {
  const device = world.devices[0]!

  it('a banner says so, nothing claims to be current, forms keep their input, and all heals by itself', async () => {
    await world.visit({ away: true }, async (page) => {
      await page.goto(atCustomer(`/devices/${device.id}`))
      await page.getByText('Live', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Rename' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Renamed while away')
      await page.context().setOffline(true)
      const banner = page.getByText('Connection lost. Retrying…')
      await banner.waitFor()
      await dialog.getByRole('button', { name: 'Rename' }).click()
      await dialog.getByText('Your entries are still here').waitFor()
      assert.equal(await dialog.getByLabel('Name').inputValue(), 'Renamed while away')
      assert.equal(await page.getByText('just now').count(), 0)
      assert.equal(await page.getByText('Live', { exact: true }).count(), 0)
      await page.getByText(/^(Was online|Was offline|Had error)$/).waitFor()
      assert.deepEqual(await axeViolations(page, 'colours'), [], 'the banner and the form')
      await picture(page, 'away-form')
      await page.context().setOffline(false)
      await page.getByText('Reconnected', { exact: true }).waitFor()
      await banner.waitFor({ state: 'detached' })
      await dialog.getByRole('button', { name: 'Rename' }).click()
      await page.getByRole('heading', { name: 'Renamed while away' }).waitFor()
    })
  })

  it('the banner is shown for a service that hangs, too', async () => {
    await world.visit({ away: true }, async (page) => {
      await page.clock.install()
      await page.goto(atCustomer('/devices'))
      await page.getByText(world.devices[1]!.name).waitFor()
      // It takes requests and never responds; the probe would run into its own time limit.
      await page.route('**/core/v1/**', () => {})
      await page.route('**/readyz', (route) => route.abort())
      await page.getByRole('link', { name: 'Groups' }).click()
      await page.clock.fastForward(9_000)
      await page.getByText('Connection lost. Retrying…').waitFor()
    })
  })

  it('a page that cannot be loaded says so inside the frame, and loads when the service is back', async () => {
    await world.visit({ away: true }, async (page) => {
      await page.goto(atCustomer('/devices'))
      await page.getByText(world.devices[1]!.name).waitFor()
      await page.context().setOffline(true)
      await page.getByRole('link', { name: 'Groups' }).click()
      await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('button', { name: 'Try again' }).waitFor()
      await page.getByText('Connection lost. Retrying…').waitFor()
      assert.deepEqual(await axeViolations(page), [])
      await picture(page, 'away-page')
      // What was open before still is.
      await page.getByRole('link', { name: 'Devices', exact: true }).click()
      await page.getByText(world.devices[1]!.name).waitFor()
      await picture(page, 'away-list')
      await page.getByRole('link', { name: 'Groups' }).click()
      await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
      await page.context().setOffline(false)
      await page.getByText('Facility team').waitFor()
    })
  })

  it('a file that a new release has replaced reloads the page once; a slow one shows progress', async () => {
    await world.visit({ fresh: true }, async (page) => {
      await page.goto(atCustomer('/devices'))
      await page.getByText(world.devices[1]!.name).waitFor()
      let reloads = 0
      page.on('request', (request) => {
        if (request.isNavigationRequest()) reloads++
      })
      await page.route(/assets\/groups-[^/]*\.js/, (route) =>
        reloads === 0 ? route.fulfill({ status: 404 }) : route.continue(),
      )
      await page.getByRole('link', { name: 'Groups' }).click()
      await page.getByText('Facility team').waitFor()
      assert.equal(reloads, 1)
      const { promise, resolve } = Promise.withResolvers<void>()
      await page.route(/assets\/spaces-[^/]*\.js/, async (route) => {
        await promise
        await route.continue()
      })
      await page.getByRole('link', { name: 'Spaces' }).click()
      await page.getByRole('progressbar', { name: 'Loading page' }).waitFor()
      resolve()
      await page.getByText('Ground floor').waitFor()
      await page.getByRole('progressbar', { name: 'Loading page' }).waitFor({ state: 'detached' })
    })
  })
})

describe('an expired session', () => {
  it('leaves the page and the half-filled form; after signing in in a new tab, the form can be sent', async () => {
    await world.visit({}, async (page) => {
      await page.goto(atCustomer('/groups'))
      await page.getByRole('button', { name: 'New group' }).click()
      const form = page.getByRole('dialog', { name: 'New group' })
      await form.getByLabel('Name').fill('Typed before')
      await page.context().clearCookies()
      await form.getByRole('button', { name: 'Create group' }).click()
      const ended = page.getByRole('dialog', { name: 'Your session has ended' })
      await ended.waitFor()
      assert.deepEqual(await axeViolations(page, 'colours'), [], 'the dialog')
      await picture(page, 'session-ended')
      await page.keyboard.press('Escape')
      await ended.getByRole('button', { name: 'Not now' }).click()
      await page.getByText('Your session has ended. Sign in').waitFor()
      assert.equal(await form.getByLabel('Name').inputValue(), 'Typed before')
      await picture(page, 'session-ended-form')
      await form.getByRole('button', { name: 'Create group' }).click()
      const opened = page.context().waitForEvent('page')
      await ended.getByRole('link', { name: 'Sign in' }).click()
      const tab = await opened
      await tab.getByLabel('Email').fill(world.admin.email)
      await tab.getByLabel('Password').fill(world.password)
      await tab.getByRole('button', { name: 'Sign in' }).click()
      await tab.waitForURL((url) => url.pathname === atCustomer('/groups'))
      await page.bringToFront()
      await ended.waitFor({ state: 'detached' })
      assert.equal(await form.getByLabel('Name').inputValue(), 'Typed before')
      await form.getByRole('button', { name: 'Create group' }).click()
      await page.getByRole('table', { name: 'Groups', exact: true }).getByText('Typed before').waitFor()
    })
  })
})
