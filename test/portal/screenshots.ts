// `npm run screenshots`: pictures of the main pages for the docs.
// With a folder as argument: every page in light, dark and phone size.
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { callApi } from '../../server/src/cli/simulate/portal-session.ts'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import { startBrowser } from '../support/browser/browser.ts'
import { fillScene, type Scene } from '../support/portal-scene.ts'
import { privateDatabaseUrl, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { pagesOf } from './pages.ts'

const celsius = { type: 'number', unit: '°C', decimals: 1, chart: true }
const dictionary = [
  { key: 'temperature', label: 'Temperature', ...celsius },
  { key: 'setpoint', label: 'Setpoint', ...celsius },
  { key: 'humidity', label: 'Humidity', type: 'number', unit: '%', decimals: 0, min: 0, max: 100 },
  { key: 'co2', label: 'CO₂', type: 'number', unit: 'ppm', decimals: 0 },
  { key: 'battery', label: 'Battery', type: 'number', unit: '%', decimals: 0, min: 0, max: 100 },
]

const asked = process.argv[2]
const folder = asked ?? fileURLToPath(new URL('../../docs/screenshots/', import.meta.url))
const only = process.argv[3]
const dataDir = await mkdtemp(join(tmpdir(), 'landbridge-screenshots-'))
const service = await startService({ env: { LANDBRIDGE_DATA_DIR: dataDir } })
const browser = await startBrowser()
try {
  const key = (await readFile(join(dataDir, 'operator.key'), 'utf8')).trim()
  const scene = await fillScene(service.ready.public_url, key)
  // A customer sees history only from its claim on, so the devices were claimed, and went online, four hours ago.
  const sql = openDatabase({ url: await privateDatabaseUrl(dataDir), max: 1 })
  await until(async () => (await sql`select from status_changes limit 1`).length === 0, 'the changes of status')
  await sql`update devices set claimed_at = claimed_at - interval '4 hours' where claimed_at is not null`
  await sql`update devices set status_at = status_at - interval '4 hours' where status = 'online'`
  await sql`update status_history set at = at - interval '4 hours'`
  await sql`update models set dictionary = ${JSON.stringify(dictionary)}::jsonb`
  await sql`update partner_domains set verified_at = now() - interval '20 days', checked_at = now(), result = 'found'`
  await sql.end()
  await mkdir(folder, { recursive: true })
  keepSending(scene)
  if (asked) {
    await takeScreenshots(browser, scene, { suffix: '', width: 1280, height: 860, scheme: 'light' })
    await takeScreenshots(browser, scene, { suffix: '-dark', width: 1280, height: 860, scheme: 'dark' })
    await takeScreenshots(browser, scene, { suffix: '-phone', width: 390, height: 844, scheme: 'light' })
  } else {
    await takeScreenshots(browser, scene, { suffix: '', width: 1200, height: 760, scheme: 'light', forDocs: true })
  }
} finally {
  await browser.close()
  await service.stop()
  await rm(dataDir, { recursive: true, force: true })
}

/** The devices keep sending, some with an invalid key, so that there is traffic to show. */
function keepSending({ url, devices }: Scene): void {
  setInterval(() => {
    const { id, access_key, readingAt } = devices[Math.floor(Math.random() * 6)]!
    const authorization = Math.random() < 0.15 ? 'not-a-key' : access_key
    void fetch(`${url}/v1/devices/${id}/telemetry`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify({ ...readingAt(new Date()), status: 'online' }),
    }).catch(() => {})
  }, 120).unref()
}

interface Variant {
  suffix: string
  width: number
  height: number
  scheme: 'light' | 'dark'
  forDocs?: boolean
}

async function takeScreenshots(
  from: Browser,
  scene: Scene,
  { suffix, width, height, scheme, forDocs }: Variant,
): Promise<void> {
  const context = await from.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    baseURL: scene.url,
    locale: 'en-GB',
  })
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') console.error(`${page.url()}: ${message.text()}`)
  })
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(scene.admin.email)
  await page.getByLabel('Password').fill(scene.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/\/(customer|partner)\//)
  await page.goto('/operator')
  await page.evaluate((key) => sessionStorage.setItem('landbridge.operator-key', key), scene.operatorKey)
  for (const { name, path, docs, ready, picture } of pagesOf(scene)) {
    if (only && !name.startsWith(only)) continue
    if (forDocs && !docs) continue
    await page.goto(path)
    try {
      await ready(page)
      await picture?.(page)
    } catch (cause) {
      // A picture of all the others is worth more than none.
      console.error(`${name}${suffix}: ${(cause as Error).message.split('\n')[0]}`)
    }
    await page.waitForLoadState('load')
    await page.waitForTimeout(forDocs ? 900 : 500)
    await page.screenshot({ path: join(folder, `${name}${suffix}.png`) })
  }
  if (!only || 'consent'.startsWith(only)) {
    await page.goto(await consentPath(scene))
    await page.getByRole('radio', { name: new RegExp(scene.customer.name) }).check()
    await page.screenshot({ path: join(folder, `consent${suffix}.png`), fullPage: true })
  }
  await context.close()
}

/** Of an application that the customer has not approved yet. */
async function consentPath({ url, partner, operatorKey }: Scene): Promise<string> {
  const redirect_uri = 'https://energy.northwind.example/callback'
  const { client_id } = await callApi(
    `${url}/core/v1/operator/partners/${partner.id}/applications`,
    'POST',
    { name: 'Northwind Energy', redirect_uris: [redirect_uri] },
    { authorization: operatorKey },
  )
  const asked = { response_type: 'code', client_id, redirect_uri, scope: 'openid profile', state: 's' }
  const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' }
  return `/oauth/authorize?${new URLSearchParams({ ...asked, ...challenge })}`
}
