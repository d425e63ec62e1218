// Visits that follow each other in one context: the browser reads and compiles the portal's scripts once, not once per visit.
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { newContext } from './browser.ts'

export interface Visitor {
  page: Page
  /** Closes every page, and forgets what they stored: the next visitor is a stranger. */
  leave(): Promise<void>
}

/** Contexts that nobody visits with at the moment, by what cannot be changed about them. */
const idle = new Map<string, BrowserContext[]>()

/**
 * A page as in a new context: signed in nowhere, with nothing stored. Only the browser's caches are kept, unless it is
 * to be `fresh`: with no file of the portal read before.
 */
export async function arrive(
  options: BrowserContextOptions & { baseURL: string },
  { fresh = false }: { fresh?: boolean } = {},
): Promise<Visitor> {
  const { viewport, colorScheme, ...fixed } = options
  if (fresh) {
    const context = await newContext(options)
    return { page: await context.newPage(), leave: () => context.close() }
  }
  const kind = JSON.stringify(fixed)
  const waiting = idle.get(kind) ?? []
  idle.set(kind, waiting)
  const context = waiting.pop() ?? (await prepare(fixed))
  const [anchor] = context.pages()
  const page = await context.newPage()
  if (viewport) await page.setViewportSize(viewport)
  if (colorScheme !== undefined) await page.emulateMedia({ colorScheme })
  return {
    page,
    async leave() {
      const others = context.pages().filter((one) => one !== anchor)
      for (const one of others) await one.close()
      await context.clearCookies()
      await context.clearPermissions()
      await context.setOffline(false)
      await anchor!.evaluate('localStorage.clear()')
      waiting.push(context)
    },
  }
}

async function prepare(fixed: BrowserContextOptions & { baseURL: string }): Promise<BrowserContext> {
  const context = await newContext(fixed)
  // While a page of the site is open, its process lives on, with the scripts that it has compiled.
  await (await context.newPage()).goto('/healthz')
  return context
}
