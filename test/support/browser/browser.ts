// A real browser for the journeys.
import { join } from 'node:path'
import { after, it as always, type TestFn } from 'node:test'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import { findBrowser, howToGetOne } from './find.ts'
import { unpackBrowser } from './packaged.ts'

/** Nothing that would loosen what a page may do: the browser must enforce policies and origins as everyone's does. */
const flags = [
  '--no-sandbox', // Chromium's own sandbox does not start as root
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--process-per-site',
]

const choice = findBrowser()

const skip = choice === 'none' && !process.env.CI && 'no browser'

/**
 * A test that needs a browser: skipped, and counted so, where there is none; CI must have one. Otherwise it is Node's own
 * function, which names the line that calls it as the place of a failure.
 */
export const it: (title: string, run: TestFn) => void = skip
  ? (title, run) => void always(title, { skip }, run)
  : always

let started: Promise<Browser> | undefined
after(async () => {
  // One that did not start failed its test already; a hook that fails as well would keep the file from ending.
  const browser = await started?.catch(() => null)
  await browser?.close()
})

/** One browser per test file, started by the first test that opens a page: a file's set-up cannot fail for lack of one. */
export async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  started ??= startBrowser()
  return await (await started).newContext(options)
}

export async function startBrowser(): Promise<Browser> {
  if (choice === 'none') throw new Error(howToGetOne)
  if (choice !== 'packaged') return await chromium.launch({ executablePath: choice, args: flags })
  const folder = await unpackBrowser()
  return await chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: flags,
    env: {
      ...(process.env as Record<string, string>),
      FONTCONFIG_PATH: join(folder, 'fonts'),
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    },
  })
}
