// The whole test run: several processes, and one private Postgres for all, from when the first test asks for it.
// `LANDBRIDGE_TEST_POSTGRES=postgres://…/postgres npm test` runs it on that Postgres instead, as one who may create databases.
// Either way as an ordinary role with a password; the tests of `test/system` over TLS, as on a managed one.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { filesThrough, root } from './runner/imports.ts'
import { contradiction, isAlone, kindOf } from './runner/kinds.ts'
import { offer } from './runner/offer.ts'
import type { Postgres } from './runner/postgres.ts'
import { selectFiles } from './runner/select.ts'
import { Times } from './runner/slowest.ts'
import { writeWorkers } from './runner/workers.ts'
import { findBrowser, howToGetOne } from './support/browser/find.ts'
import { endWithParent } from './support/end-with-parent.ts'
import { removeFolder } from './support/remove-folder.ts'

/** At most six are used: the tests of more would need more connections than the shared Postgres has. */
const cores = Math.min(availableParallelism(), 6)
/** A hundred files load the same service: its types are stripped once. */
const compileCache = join(root, 'node_modules', '.cache', 'landbridge-tests')
const { positionals: patterns, values } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'boolean', default: false },
    fast: { type: 'boolean', default: false },
    'test-name-pattern': { type: 'string', multiple: true, default: [] },
  },
})
const files = await selectFiles({ patterns, ...values }).catch(refuse)
const misnamed = files.map(contradiction).filter((text) => text !== undefined)
if (misnamed.length > 0) refuse(new Error(misnamed.join('\n')))

// Looked for once, for all files.
const journeys = files.some((file) => kindOf(file) === 'browser')
if (journeys) process.env.LANDBRIDGE_TEST_BROWSER = findBrowser()
const browserMissing = process.env.LANDBRIDGE_TEST_BROWSER === 'none'
if (journeys && browserMissing && process.env.CI)
  refuse(new Error(`The browser journeys cannot run, which is a failure with CI set. ${howToGetOne}`))

// The browser must be served what is in the sources.
const built = journeys ? buildPortal() : null
built?.catch(() => {}) // Reported where it is awaited.
const startProcesses = files.some((file) => filesThrough(file, /^test\//).has('test/support/service.ts'))
const bundled = startProcesses ? bundleService() : null
bundled?.catch(() => {})
// Started by root, Postgres runs as another user, who must be able to pass through.
const folder = await mkdtemp(join(tmpdir(), 'landbridge-test-'))
await chmod(folder, 0o711)
// A file that fails in its set-up removes nothing: so all of them make their folders in one that goes with the run.
process.env.TMPDIR = join(folder, 'temporary')
await mkdir(process.env.TMPDIR)
await chmod(process.env.TMPDIR, 0o1777)
let starting: Promise<Postgres> | undefined
const offered = await offer(folder, 'ask-for-postgres', startPostgres)
const times = new Times()
let code = 1
try {
  // A browser's files need both, so one does not wait for the other.
  await Promise.all([built, built && offered.get(), bundled])
  if (bundled) process.env.LANDBRIDGE_TEST_SERVICE = await bundled
  process.env.LANDBRIDGE_TEST_RUN = offered.path
  process.env.NODE_COMPILE_CACHE = compileCache
  // The largest first: one that began last would keep a single core busy for minutes.
  const some = (kind: string) =>
    files.filter((file) => kindOf(file) === kind && !isAlone(file)).toSorted((a, b) => sizeOf(b) - sizeOf(a))
  const browsers = await writeWorkers(folder, {
    name: 'browser',
    files: some('browser'),
    count: cores,
    // Its hook is that of the process, not of the first file: all share one browser.
    loadFirst: 'test/support/browser/browser.ts',
  })
  // A test waits as often as it computes, and more than that are slowed down by each other.
  const shared = await writeWorkers(folder, { name: 'shared', files: some('shared'), count: Math.ceil(1.5 * cores) })
  // All kinds at once: a browser keeps the cores busy, a test of processes mostly waits.
  const atOnce = Math.max(2 * cores, browsers.length + shared.length + cores)
  const together = await runFiles([...browsers, ...shared, ...some('process')], atOnce)
  times.readWorkers([...browsers, ...shared])
  const alone = await runFiles(files.filter(isAlone), 1)
  code = together.passed && alone.passed ? 0 : 1
  if (!together.passed && alone.passed && process.env.CI) code = await runOnceMore(together.failed)
} finally {
  await (await starting)?.stop()
  await removeFolder(folder)
}
if (journeys && browserMissing) console.log(`The browser journeys were skipped. ${howToGetOne}`)
if (files.length > 1) console.log(`The slowest files:\n${times.slowest(10).join('\n')}`)
process.exit(code)

function refuse(error: Error): never {
  console.error(error.message)
  process.exit(1)
}

function sizeOf(file: string): number {
  return statSync(join(root, file)).size
}

/** On CI (decision 4.23): what was too late beside all others may pass by itself. */
async function runOnceMore(failed: ReadonlySet<string>): Promise<number> {
  const again = files.filter((file) => failed.has(file))
  if (again.length !== failed.size || again.length > 3) return 1
  console.log(`\nFailed beside others, and runs once more by itself: ${again.join(', ')}`)
  const { passed } = await runFiles(again, 1)
  console.log(passed ? `Passed by itself, after it FAILED beside others: ${again.join(', ')}` : 'Failed again.')
  return passed ? 0 : 1
}

async function runFiles(some: string[], concurrency: number): Promise<{ passed: boolean; failed: Set<string> }> {
  const failed = new Set<string>()
  if (some.length === 0) return { passed: true, failed }
  const tests = run({
    cwd: root,
    files: some,
    concurrency,
    // Of a process: on a busy machine one with several browser files takes minutes, and thousands of sequences an hour.
    timeout: Number(process.env.LANDBRIDGE_TEST_MINUTES ?? (process.env.LANDBRIDGE_TEST_CITUS ? 30 : 15)) * 60_000,
    // Each file lives for seconds and loads the whole service: with room for the young, a tenth less is spent on collecting.
    execArgv: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=32', ...endWithParent()],
    testNamePatterns: values['test-name-pattern'],
  })
  times.watch(tests)
  let passed = false
  // What fails a process after its tests is told far above the summary, which says only 'test failed'.
  const late: string[] = []
  tests.on('test:diagnostic', ({ message }) => {
    if (message.startsWith('Error: ')) late.push(message)
  })
  tests.on('test:fail', ({ nesting, file, name }) => {
    // A shared process has a suite for each of its files.
    if (nesting === 0) failed.add(files.includes(name) ? name : relative(root, file ?? name))
  })
  // The last summary is of the whole run.
  tests.on('test:summary', ({ success }) => {
    passed = success
  })
  const report = tests.compose(new spec())
  report.pipe(process.stdout, { end: false })
  await once(report, 'end')
  for (const message of late) console.log(`After the tests of a file: ${message}`)
  return { passed, failed }
}

async function buildPortal(): Promise<void> {
  const built = spawn(process.execPath, [join(root, 'portal', 'build.js')], { stdio: 'inherit' })
  const [exit] = await once(built, 'exit')
  if (exit !== 0) throw new Error('The portal could not be built.')
}

async function bundleService(): Promise<string> {
  const { bundleService } = await import('./runner/service.ts')
  return await bundleService()
}

async function startPostgres(): Promise<string> {
  const { preparePostgres, reportFailure } = await import('./runner/postgres.ts')
  // What runs beside programs of others meets Postgres as a managed service offers it.
  const tls = files.some((file) => file.startsWith('test/system/'))
  starting = preparePostgres(folder, process.env.LANDBRIDGE_TEST_POSTGRES, { tls })
  try {
    return (await starting).url
  } catch (error) {
    reportFailure(error)
    await removeFolder(folder)
    process.exit(1)
  }
}
