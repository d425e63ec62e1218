// The portal in a real browser, on the real service: processes of their own, on a database of the test file's.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'
import { violationsOf } from './axe.ts'
import { newContext } from './browser/browser.ts'
import { createDatabase, operatorKey } from './harness.ts'
import { testMasterKey } from './keys.ts'
import { fillScene, type Scene } from './portal-scene.ts'
import { startService } from './service.ts'

export interface World extends Scene {
  sql: Pool
  /** A second process on the same database: its address. */
  anotherProcess(): Promise<string>
  visit(options: BrowserContextOptions & { signedIn?: boolean }, walk: (page: Page) => Promise<void>): Promise<void>
}

export async function createWorld(settings: Record<string, string> = {}): Promise<World> {
  const databaseUrl = await createDatabase()
  const env = {
    DATABASE_URL: databaseUrl,
    LANDBRIDGE_MASTER_KEY: testMasterKey.toString('base64'),
    LANDBRIDGE_OPERATOR_KEY: operatorKey,
    ...settings,
  }
  const start = async (more: Record<string, string> = {}) => {
    const service = await startService({ env: { ...env, ...more } })
    after(() => service.stop())
    return service.ready.public_url
  }
  const url = await start()
  const sql = openDatabase({ url: databaseUrl, max: 2, statementSeconds: 120 })
  after(() => sql.end({ timeout: 1 }))
  const scene = await fillScene(url, operatorKey)

  return {
    ...scene,
    sql,
    anotherProcess: start,
    async visit({ signedIn = true, ...options }, walk) {
      const context = await newContext({ baseURL: url, locale: 'en-GB', reducedMotion: 'reduce', ...options })
      const pairs = scene.admin.cookie.split('; ').map((pair) => pair.split('='))
      // A cookie knows no port: it is good at every process of this host.
      if (signedIn) await context.addCookies(pairs.map(([name, value]) => ({ name: name!, value: value!, url })))
      const page = await context.newPage()
      // A busy machine is no fault of the page.
      page.setDefaultTimeout(90_000)
      const complaints: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error' && !expected(message.text())) complaints.push(`${page.url()}: ${message.text()}`)
      })
      page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`))
      try {
        await walk(page)
        assert.deepEqual(complaints, [], 'no error in the console, and no breach of the policy')
      } finally {
        await context.close()
      }
    },
  }
}

/** The browser itself notes every refusal; a page that shows one well has no fault. */
function expected(text: string): boolean {
  return /Failed to load resource: the server responded with a status of (401|404|409|410|412|422)/.test(text)
}

/** What axe holds against the page, but for what is minor; all of it, or only what another scheme can change. */
export async function faultsOf(page: Page, what: 'all' | 'colours' = 'all'): Promise<string[]> {
  const rules = what === 'all' ? ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] : ['color-contrast']
  const found = (await violationsOf(page, rules)).filter(({ impact }) => impact !== 'minor')
  return found.map(({ id, html }) => `${id}: ${html[0]}`)
}
