// The name of a test file says what it needs, and its imports must agree.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importsThrough, root } from './imports.ts'

/**
 * `x.test.ts` shares a process: it calls the service, or a function. `x.process.test.ts` has its own: it starts others, or
 * replaces what a process has once, such as its clock. `x.browser.test.ts` opens a browser.
 */
export type Kind = 'shared' | 'process' | 'browser'

/** Files of `test/system/` use programs of others, each as it needs. */
const system = 'test/system/'

export function kindOf(file: string): Kind {
  if (/\.browser\.(alone\.)?test\.ts$/.test(file)) return 'browser'
  return /\.(process|alone)\.test\.ts$/.test(file) || file.startsWith(system) ? 'process' : 'shared'
}

/** `x.alone.test.ts` measures time or fills the machine: such files go last, one after the other. */
export function isAlone(file: string): boolean {
  return file.endsWith('.alone.test.ts')
}

/** Outside of a `describe`: they would run for every test of the process. */
const hooksForAll = /^(?:before|after)Each\(/m

const startProcesses = ['node:child_process', 'node:cluster', 'node:worker_threads']

/** What is wrong with the name, or undefined. What the service imports for itself does not count. */
export function contradiction(file: string): string | undefined {
  if (file.startsWith(system)) return undefined
  const kind = kindOf(file)
  const modules = importsThrough(file, /^(test|bench)\//)
  const browser = modules.get('playwright-core')
  if (kind !== 'browser' && browser) return `${file} opens a browser (${browser}): name it *.browser.test.ts.`
  const starter = startProcesses.find((name) => modules.has(name))
  if (kind === 'shared' && starter)
    return `${file} starts processes (${modules.get(starter)} imports ${starter}): name it *.process.test.ts.`
  if (kind === 'shared' && hooksForAll.test(readFileSync(join(root, file), 'utf8')))
    return `${file} has a hook that runs for the tests of other files too: put it into a describe.`
  return undefined
}
