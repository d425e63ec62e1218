// The example application in a real browser: from the first visit to the revocation.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { DeviceModel } from '../../client/src/index.ts'
import { deviceAt } from '../../server/src/cli/simulate/believable-devices.ts'
import { callApi, PortalSession } from '../../server/src/cli/simulate/portal-session.ts'
import { it, newContext } from '../support/browser/browser.ts'
import { createDatabase } from '../support/database.ts'
import { startExample } from '../support/examples.ts'
import { freePort } from '../support/free-port.ts'
import { operatorKey } from '../support/keys.ts'
import { axeViolations } from '../support/portal-world.ts'
import { onDatabase, startService, temporaryDataDir } from '../support/service.ts'
import { until } from '../support/until.ts'

/** With a folder, pictures of the application are stored there. */
const pictures = process.env.EXAMPLE_PICTURES

const dataDir = await temporaryDataDir()
const env = { ...onDatabase(await createDatabase()), LANDBRIDGE_LAB: 'true', LANDBRIDGE_DATA_DIR: dataDir }
const { ready } = await startService({ env })
const url = ready.public_url
const lab = JSON.parse(await readFile(join(dataDir, 'lab.json'), 'utf8'))
// The lab's redirect URI has port 3000, which something else may use here.
const redirectUri = `http://127.0.0.1:${await freePort()}/callback`
const { origin } = new URL(redirectUri)
await callApi(
  `${url}/core/v1/operator/applications/${lab.client_id}`,
  'PATCH',
  { redirect_uris: [redirectUri] },
  {
    authorization: operatorKey,
  },
)
const settings = { CLIENT_ID: lab.client_id, CLIENT_SECRET: lab.client_secret, REDIRECT_URI: redirectUri }
const app = startExample('app/main.js', { ...settings, LANDBRIDGE_URL: url, APP_DATA: await temporaryDataDir() })
await app.wrote(/Open http/)

const model = new DeviceModel({ entryUrl: url, modelId: lab.model_id, hardwareKey: lab.hardware_key })
const session = await PortalSession.signIn(url, lab.email, lab.password)
const asCustomer = { 'landbridge-customer': lab.customer_id }

/** Of that position of a fleet, which decides what it is. */
async function addDevice(position: number, name: string) {
  const { mac, sn, kind, readingAt } = deviceAt('example', position)
  const device = await model.register({ mac, sn, firmware_version: kind.firmware[0] })
  const claim = { mac, sn, model_id: lab.model_id, name }
  await session.call('POST', '/core/v1/organization/devices/claim', claim, asCustomer)
  const send = (more: object = {}) => {
    const { telemetries } = readingAt(new Date())
    return model.send(device, { status: 'online', telemetries: { ...telemetries, ...more } })
  }
  await send()
  return send
}

async function visit(options: BrowserContextOptions, walk: (page: Page) => Promise<void>): Promise<void> {
  const context = await newContext({ baseURL: origin, locale: 'en-GB', reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(90_000)
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (403|401)/.test(message.text())) errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  try {
    await walk(page)
    assert.deepEqual(errors, [], 'no error in the console, and no policy violation')
  } finally {
    await context.close()
  }
}

async function connect(page: Page, { signIn = true } = {}): Promise<void> {
  await page.getByRole('link', { name: /^Connect/ }).click()
  if (signIn) {
    await page.getByLabel('Email').fill(lab.email)
    await page.getByLabel('Password').fill(lab.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await page.locator('button[value=approve]').click()
  await page.getByRole('heading', { name: 'Devices' }).waitFor()
}

/** In every form that people see it in: nothing for axe to find, nothing that scrolls sideways. */
async function inspect(page: Page, name: string): Promise<void> {
  for (const [suffix, width, colorScheme] of [
    ['', 1280, 'light'],
    ['-dark', 1280, 'dark'],
    ['-phone', 390, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 860 })
    await page.emulateMedia({ colorScheme })
    assert.deepEqual(await axeViolations(page), [], name + suffix)
    const tooWide = await page.locator('html').evaluate((all) => all.scrollWidth > all.clientWidth)
    assert.equal(tooWide, false, name + suffix)
    if (pictures) await page.screenshot({ path: join(pictures, `${name}${suffix}.png`), fullPage: true })
  }
  await page.setViewportSize({ width: 1280, height: 860 })
}

describe('the example application', () => {
  it('connects, shows people and live devices, is revoked in the portal, connects again and disconnects', async () => {
    const hostile = '<img src=x onerror=alert(1)> "Foyer"'
    const sends = await Promise.all(
      ['Board room', 'Lobby', hostile, 'Roof terrace with a name that is much longer than its card'].map((name, n) =>
        addDevice(n, name),
      ),
    )
    await visit({}, async (page) => {
      await page.goto('/')
      await inspect(page, 'welcome')
      await connect(page)
      await page.getByText('lab@example.com').waitFor()
      await page.getByRole('heading', { name: hostile }).waitFor()
      await page.locator('#live[data-state=live]').waitFor()
      const log = page.locator('#log')
      await log.getByText('/oauth/token').waitFor()

      const shown = page.locator('.card', { hasText: 'Board room' }).locator('dd').nth(1)
      const before = await shown.textContent()
      const key = (await shown.getAttribute('data-key'))!
      let turn = 0
      await until(
        async () => {
          turn += 1
          for (const send of sends) await send({ [key]: `turn ${turn}` })
          return (await shown.textContent()) !== before
        },
        'a new value without a reload',
        120,
      )
      await log.getByText('state').first().waitFor()
      await inspect(page, 'connected')
      assert.doesNotMatch(await page.content(), /lb[a-z]_|eyJ|access_token|client_secret/, 'no secret in the page')

      const forged = await page.request.post('/disconnect', { form: { csrf: 'guessed' }, maxRedirects: 0 })
      assert.equal(forged.status(), 403)
      await page.reload()
      await page.getByRole('heading', { name: 'Devices' }).waitFor()
      await page.locator('#live[data-state=live]').waitFor()
      await session.call('DELETE', `/core/v1/organization/connected-apps/${lab.client_id}`, undefined, asCustomer)
      await page.getByText('The connection has ended').waitFor()
      await page.locator('#log .bad', { hasText: '/oauth/token' }).waitFor()
      await inspect(page, 'ended')

      await connect(page, { signIn: false })
      await page.getByRole('button', { name: 'Disconnect' }).click()
      await page.getByText('The connection has ended').waitFor()
    })
  })

  it('a person who declines is told so, and a callback of nobody is refused', async () => {
    await visit({}, async (page) => {
      await page.goto('/')
      await page.getByRole('link', { name: 'Connect your organization' }).click()
      await page.getByLabel('Email').fill(lab.email)
      await page.getByLabel('Password').fill(lab.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('button', { name: 'Decline' }).click()
      await page.getByText('You declined. Nothing was shared.').waitFor()
    })
    for (const path of ['/callback?code=stolen&state=guessed', '/events', '/nothing', '/../lab.js']) {
      const response = await fetch(origin + path)
      assert.ok([400, 401, 404].includes(response.status), `${path}: ${response.status}`)
    }
    const page = await fetch(origin)
    assert.match(
      page.headers.get('content-security-policy')!,
      /^default-src 'none'; style-src 'self'; script-src 'self';/,
    )
    const begun = await fetch(`${origin}/connect`, { redirect: 'manual' })
    for (const cookie of begun.headers.getSetCookie()) assert.match(cookie, /HttpOnly; SameSite=Lax/)
  })
})
