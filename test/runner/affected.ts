// Which tests a change can affect, for `npm test -- --changed`.
import { reachedBy } from './imports.ts'
import { kindOf } from './kinds.ts'

/** What every test runs on. */
const affectsAll = /(^|\/)(package|package-lock|tsconfig)\.json$|^test\/run\.ts$|^test\/runner\/(?!.*\.test\.ts$)/

export interface Affected {
  files: string[]
  /** The changed file because of which everything runs. */
  because?: string
}

/** Conservative: everything runs when a changed file is known to no test. */
export function affectedBy(changed: string[], tests: string[]): Affected {
  const because = changed.find((file) => affectsAll.test(file))
  if (because) return { files: tests, because }
  const affected = new Set<string>()
  const unknown = new Set(changed)
  for (const test of tests) {
    const reached = reachedBy(test)
    // The browser is served the portal as it is built from its sources.
    if (kindOf(test) === 'browser') reached.add('portal/')
    for (const file of changed) {
      const known = isReached(file, reached)
      if (known) unknown.delete(file)
      if (known || reached.has('/')) affected.add(test)
    }
  }
  // A deleted test is no longer there to run, and a page that no test names is read by those that read every page.
  const stray = [...unknown].find((file) => !/\.md$|\.test\.ts$/.test(file))
  return stray ? { files: tests, because: stray } : { files: tests.filter((test) => affected.has(test)) }
}

function isReached(file: string, reached: Set<string>): boolean {
  if (reached.has(file)) return true
  for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1))
    if (reached.has(file.slice(0, end + 1))) return true
  return false
}
