// Which files are changed, and which tests should notice.
import { posix } from 'node:path'
import { importsThrough, needsOf, reachedBy } from '../runner/imports.ts'
import { kindOf } from '../runner/kinds.ts'

/** What a file does that cannot be tried a thousand times in a few minutes. */
const outside =
  /^(fastify|pg|prom-client|node:(child_process|cluster|worker_threads|fs|fs\/promises|http|https|tls|dgram))$/
/** Simulated devices are no rule: their numbers only have to be believable. */
const sources = /^(server|client|portal)\/src\/(?!cli\/simulate\/).+(?<!\.test|\.d)\.ts$/

/**
 * The pure files, each with its tests: those that a test beside them, or one of `test/portal/`, imports that needs no
 * database, no process and no browser, unless they do I/O, themselves or through others.
 */
export function pureFiles(tests: string[]): Map<string, string[]> {
  const files = new Map<string, string[]>()
  for (const test of tests.filter(isPure))
    for (const file of new Set(testedBy(test))) files.set(file, [...(files.get(file) ?? []), test])
  const pure = [...files.keys()].filter((file) => sources.test(file) && !doesIO(file)).toSorted()
  return new Map(pure.map((file) => [file, closest(file, files.get(file)!)]))
}

function isPure(test: string): boolean {
  return kindOf(test) === 'shared' && !reachedBy(test).has('test/support/database.ts')
}

/** What it imports from its own folder; a test of the portal from anywhere. */
function testedBy(test: string): string[] {
  const folder = posix.dirname(test)
  return needsOf(test).imports.filter((file) => posix.dirname(file) === folder || folder === 'test/portal')
}

function doesIO(file: string): boolean {
  return [...importsThrough(file, sources).keys()].some((name) => outside.test(name))
}

/** The test of the same name, which is the fastest and says the most; else all. */
function closest(file: string, tests: string[]): string[] {
  const own = tests.find((test) => posix.basename(test) === posix.basename(file).replace(/\.ts$/, '.test.ts'))
  return own ? [own] : tests
}
