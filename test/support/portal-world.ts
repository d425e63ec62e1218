// The portal in a real browser, with the real service, on a database per test file.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'
import { violationsOf } from './axe.ts'
import { arrive } from './browser/visitor.ts'
import { createDatabase, whenDone } from './database.ts'
import { operatorKey } from './keys.ts'
import { fillScene, type Scene } from './portal-scene.ts'
import { serveHere } from './serve-here.ts'
import { onDatabase, startService } from './service.ts'

export interface World extends Scene {
  sql: Pool
  /** Starts a process on the same database, and returns its address. */
  anotherProcess(): Promise<string>
  /**
   * `fresh` is a browser that has not read a file of the portal before. `away` is one too, and expects requests without a
   * response.
   */
  visit(
    options: BrowserContextOptions & { signedIn?: boolean; away?: boolean; fresh?: boolean },
    walk: (page: Page) => Promise<void>,
  ): Promise<void>
}

export async function createWorld(settings: Record<string, string> = {}): Promise<World> {
  const databaseUrl = await createDatabase()
  const env = { ...onDatabase(databaseUrl), ...settings }
  const url = await serveHere(env)
  const sql = openDatabase({ url: databaseUrl, max: 2, statementSeconds: 120 })
  whenDone(() => sql.end({ timeout: 1 }))
  const scene = await fillScene(url, operatorKey)

  return {
    ...scene,
    sql,
    async anotherProcess() {
      const service = await startService({ env })
      after(() => service.stop())
      return service.ready.public_url
    },
    async visit({ signedIn = true, away = false, fresh = away, ...options }, walk) {
      const chosen: BrowserContextOptions = { locale: 'en-GB', reducedMotion: 'reduce', ...options }
      const visitor = await arrive({ baseURL: url, ...chosen }, { fresh })
      const { page } = visitor
      const pairs = scene.admin.cookie.split('; ').map((pair) => pair.split('='))
      // Cookies ignore ports, so these are valid for every process of this host.
      const cookies = pairs.map(([name, value]) => ({ name: name!, value: value!, url }))
      if (signedIn) await page.context().addCookies(cookies)
      // Generous, for busy machines.
      page.setDefaultTimeout(90_000)
      const errors: string[] = []
      page.on('console', (message) => {
        if (away && message.text().includes('net::ERR_')) return
        if (message.type() === 'error' && !expected(message.text())) errors.push(`${page.url()}: ${message.text()}`)
      })
      page.on('pageerror', (error) => errors.push(`${page.url()}: ${error.message}`))
      try {
        await walk(page)
        assert.deepEqual(errors, [], 'no error in the console, and no policy violation')
      } catch (error) {
        throw await withWhatWasSeen(error as Error, page, errors)
      } finally {
        await visitor.leave()
      }
    },
  }
}

/** A browser test that fails once in many runs can only be explained by what was on the page. */
async function withWhatWasSeen(error: Error, page: Page, errors: string[]): Promise<Error> {
  const text = String(await page.evaluate('document.body.innerText').catch(String))
  const seen = `The page was ${page.url()}, and had: ${text.replaceAll(/\s+/g, ' ').slice(0, 2_000)}`
  const logged = errors.length > 0 ? `\nIts console had: ${errors.join('\n')}` : ''
  return new Error(`${error.message}\n${seen}${logged}`, { cause: error })
}

/** Browsers log every failed request, also those that the page handles. */
function expected(text: string): boolean {
  return /Failed to load resource: the server responded with a status of (401|403|404|409|410|412|422)/.test(text)
}

/** Axe violations that are not minor: of all rules, or only of those that depend on the colour scheme. */
export async function axeViolations(page: Page, what: 'all' | 'colours' = 'all'): Promise<string[]> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice', 'experimental']
  const rules = what === 'all' ? tags : ['color-contrast', 'link-in-text-block']
  const found = (await violationsOf(page, rules))
    // A tree item is labelled by its name; what else is in its row has labels of its own.
    .filter(({ id, html }) => id !== 'label-content-name-mismatch' || !html.every((one) => one.includes('treeitem')))
    .filter(({ impact }) => impact !== 'minor')
  return found.map(({ id, html }) => `${id}: ${html[0]}`)
}

/** Accessible in both colour schemes, and no wider than the screen. With `PICTURES`, a folder, there is a picture of each. */
export async function findNothing(page: Page, name: string): Promise<void> {
  await takePicture(page, name)
  assert.deepEqual(await axeViolations(page), [], name)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, name)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  assert.deepEqual(await axeViolations(page, 'colours'), [], name)
  await takePicture(page, `${name}-dark`)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.locator('html[data-mantine-color-scheme=light]').waitFor()
}

async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES
  if (!folder) return
  await page.waitForTimeout(300)
  await page.screenshot({ path: `${folder}/${name}.png` })
}
