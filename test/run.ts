// The whole test run: several processes, and one private Postgres for all, from when the first test asks for it.
// `LANDBRIDGE_TEST_POSTGRES=postgres://…/postgres npm test` runs it on that Postgres instead, as one who may create databases.
// Either way as an ordinary role, and on its own Postgres over TLS with a password, as on a managed one.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, glob, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { offer } from './runner/offer.ts'
import type { Postgres } from './runner/postgres.ts'
import { findBrowser, howToGetOne } from './support/browser/find.ts'
import { endWithParent } from './support/end-with-parent.ts'
import { removeFolder } from './support/remove-folder.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** These only call the service. */
const areas = /^server\/src\/(api|authorization|devices|directory|events)\//
/** Of these, some do more; the files of `test/` itself are about processes. */
const mayShare = /^(server\/src|client\/src|test\/(clients|kit|openapi|portal))\//
/** What shows it: other processes, a browser, a clock or `fetch` that is replaced, or time that is measured. */
const needsOwnProcess =
  /node:child_process|support\/(service|two-processes|portal-world|examples|browser\/)|mock\.method|globalThis\.fetch =|performance\.now/
/** Each of these processes has one browser for its files; there are fewer than files, since a browser and Playwright take a second to load. */
const browserProcesses = 5
/** With more, the last groups leave a core idle; with fewer, the service is loaded more often. */
const filesPerProcess = 12
/** A hundred files load the same service: its types are stripped once. */
const compileCache = join(root, 'node_modules', '.cache', 'landbridge-tests')
// `test/system/` needs programs that npm does not bring: `.ci/run` installs them and names it.
const everything = [
  'server/src/**/*.test.ts',
  'client/src/**/*.test.ts',
  'test/*.test.ts',
  'test/!(system)/**/*.test.ts',
]
const { positionals: patterns, values } = parseArgs({
  allowPositionals: true,
  options: { 'test-name-pattern': { type: 'string', multiple: true, default: [] } },
})
const files = await Array.fromAsync(glob(patterns.length > 0 ? patterns : everything, { cwd: root }))
if (files.length === 0) throw new Error(`No test file matches ${patterns.join(' ')}`)

// Looked for once, for all files.
const opensBrowser = (file: string) => /^test\/(portal\/|consent|dev\.|examples\/app)/.test(file)
const journeys = files.some(opensBrowser)
if (journeys) process.env.LANDBRIDGE_TEST_BROWSER = findBrowser()
const browserMissing = process.env.LANDBRIDGE_TEST_BROWSER === 'none'
if (journeys && browserMissing && process.env.CI) {
  console.error(`The browser journeys cannot run, which is a failure with CI set. ${howToGetOne}`)
  process.exit(1)
}

// The browser must be served what is in the sources.
const built = files.some((file) => file.startsWith('test/portal/')) ? buildPortal() : null
built?.catch(() => {}) // Reported where it is awaited.
// Started by root, Postgres runs as another user, who must be able to pass through.
const folder = await mkdtemp(join(tmpdir(), 'landbridge-test-'))
await chmod(folder, 0o711)
// A file that fails in its set-up removes nothing: so all of them make their folders in one that goes with the run.
process.env.TMPDIR = join(folder, 'temporary')
await mkdir(process.env.TMPDIR)
await chmod(process.env.TMPDIR, 0o1777)
let starting: Promise<Postgres> | undefined
const offered = await offer(folder, 'ask-for-postgres', startPostgres)
let code = 1
try {
  // A browser's files need both, so one does not wait for the other.
  await Promise.all([built, built && offered.get()])
  process.env.LANDBRIDGE_TEST_RUN = offered.path
  process.env.NODE_COMPILE_CACHE = compileCache
  const together = await sharing(files.filter((file) => !isAlone(file)))
  const others = files.filter((file) => !together.includes(file) && !isAlone(file))
  const browsers = await groups('browser', others.filter(opensBrowser), browserProcesses)
  const processes = others.filter((file) => !opensBrowser(file))
  const rest = await groups('group', together, Math.ceil(together.length / filesPerProcess))
  const passed = await runFiles(
    [...takingTurns(browsers, processes), ...rest],
    Math.min(2 * availableParallelism(), 16),
  )
  code = (await runFiles(files.filter(isAlone), 1)) && passed ? 0 : 1
} finally {
  await (await starting)?.stop()
  await removeFolder(folder)
}
if (journeys && browserMissing) console.log(`The browser journeys were skipped. ${howToGetOne}`)
process.exit(code)

/** Those of the files that can share a process with others. */
async function sharing(some: string[]): Promise<string[]> {
  const sources = await Promise.all(some.map((file) => readFile(join(root, file), 'utf8')))
  return some.filter(
    (file, index) => areas.test(file) || (mayShare.test(file) && !needsOwnProcess.test(sources[index]!)),
  )
}

/**
 * Files that only call the service, or a function, share a process: loading the service and warming up costs more than
 * most of their tests. All of a group set up first, then their tests run one after the other.
 */
async function groups(name: string, some: string[], most: number): Promise<string[]> {
  const count = Math.min(most, some.length)
  const written = Array.from({ length: count }, async (_, group) => {
    const urls = some.filter((_, index) => index % count === group).map((file) => pathToFileURL(join(root, file)).href)
    const script = join(folder, `${name}-${group + 1}-of-${count}.test.mjs`)
    await writeFile(
      script,
      `import { before } from 'node:test'
       const loaded = Promise.withResolvers()
       before(() => loaded.promise)
       for (const url of ${JSON.stringify(urls)}) await import(url)
       loaded.resolve()\n`,
    )
    return script
  })
  return await Promise.all(written)
}

/** `*.alone.test.ts` measures time or fills the machine: such files go last, one after the other. */
function isAlone(file: string): boolean {
  return file.endsWith('.alone.test.ts')
}

/**
 * Browsers and processes take longest, so they begin: groups leave no core idle at the end. A browser keeps the cores busy
 * and a test of processes mostly waits, so some processes follow each browser.
 */
function takingTurns(browsers: string[], processes: string[]): string[] {
  const each = Math.ceil(processes.length / Math.max(browsers.length, 1))
  const turns = browsers.map((browser, turn) => [browser, ...processes.slice(turn * each, (turn + 1) * each)])
  return browsers.length > 0 ? turns.flat() : processes
}

async function runFiles(some: string[], concurrency: number): Promise<boolean> {
  if (some.length === 0) return true
  const tests = run({
    cwd: root,
    files: some,
    concurrency,
    // Of a process: on a busy machine one with several browser files takes minutes.
    timeout: process.env.LANDBRIDGE_TEST_CITUS ? 1_800_000 : 900_000,
    // Each file lives for seconds and loads the whole service: with room for the young, a tenth less is spent on collecting.
    execArgv: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=32', ...endWithParent()],
    testNamePatterns: values['test-name-pattern'],
  })
  let passed = false
  // What fails a process after its tests is told far above the summary, which says only 'test failed'.
  const late: string[] = []
  tests.on('test:diagnostic', ({ message }) => {
    if (message.startsWith('Error: ')) late.push(message)
  })
  // The last summary is of the whole run.
  tests.on('test:summary', ({ success }) => {
    passed = success
  })
  const report = tests.compose(new spec())
  report.pipe(process.stdout, { end: false })
  await once(report, 'end')
  for (const message of late) console.log(`After the tests of a file: ${message}`)
  return passed
}

async function buildPortal(): Promise<void> {
  const built = spawn(process.execPath, [join(root, 'portal', 'build.js')], { stdio: 'inherit' })
  const [exit] = await once(built, 'exit')
  if (exit !== 0) throw new Error('The portal could not be built.')
}

async function startPostgres(): Promise<string> {
  const { preparePostgres, reportFailure } = await import('./runner/postgres.ts')
  starting = preparePostgres(folder, process.env.LANDBRIDGE_TEST_POSTGRES)
  try {
    return (await starting).url
  } catch (error) {
    reportFailure(error)
    await removeFolder(folder)
    process.exit(1)
  }
}
