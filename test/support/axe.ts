// The problems that axe finds on a page, as text.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const axe = await readFile(fileURLToPath(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url)), 'utf8')

export interface Violation {
  id: string
  impact: string
  html: string[]
}

/** By every rule, or by those with these tags or names. */
export async function violationsOf(page: Page, runOnly?: string[]): Promise<Violation[]> {
  // As an evaluation and not as a script element: the policy forbids those, and it stays on.
  if (await page.evaluate('globalThis.axe === undefined')) await page.evaluate(`{${axe}}; undefined`)
  // A selector for each element that was looked at takes a quarter of the time, and nobody reads it.
  const options = JSON.stringify({ resultTypes: ['violations'], selectors: false, runOnly })
  return await page.evaluate(`axe.run(${options}).then(({ violations }) =>
    violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes.map(({ html }) => html.slice(0, 200)) })))`)
}
