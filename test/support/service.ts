// The service as its own process, for what only a process shows: starts, stops, kills, many at once.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { endWithParent } from './end-with-parent.ts'
import { operatorKey, testMasterKey } from './keys.ts'
import { manyCalls } from './many-calls.ts'
import { removeFolder } from './remove-folder.ts'

const thisTree = fileURLToPath(new URL('../..', import.meta.url))

/** The ready line. */
export interface Ready {
  public_url: string
  entry_url: string
  hub_url: string
  mqtt_url: string
  static_cert_url: string
  pid: number
}

export interface Service {
  ready: Ready
  child: ChildProcess
  /** Milliseconds from spawn to the ready line. */
  startedIn: number
  /** Everything it has written so far, to both streams. */
  output(): string
  /** SIGTERM; returns the exit code. */
  stop(): Promise<number | null>
  /** kill -9. */
  kill(): Promise<void>
}

export interface ServiceOptions {
  env?: Record<string, string>
  /** Another checkout, whose service is started. */
  tree?: string
}

/** What a process needs on a database that others may share. */
export function onDatabase(databaseUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    LANDBRIDGE_MASTER_KEY: testMasterKey.toString('base64'),
    LANDBRIDGE_OPERATOR_KEY: operatorKey,
    LANDBRIDGE_LOG_LEVEL: 'warn',
    // No balancer must notice that it leaves: each stop would take five seconds.
    LANDBRIDGE_DRAIN_SECONDS: '0',
  }
}

/** A start takes seconds; a busy machine that starts many at once may need this long. */
const startSeconds = 120

/** A separate data folder, gone when the test file is done. */
export async function temporaryDataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'landbridge-data-'))
  after(() => removeFolder(folder))
  return folder
}

/** On this machine only, at ports that are free, without the lab. */
export const anyPort = {
  ...{ PORT: '0', LANDBRIDGE_MQTTS_PORT: '0', LANDBRIDGE_STATIC_CERT_PORT: '0' },
  ...{ LANDBRIDGE_HOST: '127.0.0.1', LANDBRIDGE_LAB: 'false' },
  ...manyCalls,
}

/** Every port is any free one, and the environment of the test run does not leak in, but for what `npm start` has too. */
export function spawnService(env: Record<string, string>, tree?: string): ChildProcess {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '', LANDBRIDGE_TEST_SERVICE: bundled } = process.env
  const main = (tree ? undefined : bundled) ?? join(tree ?? thisTree, 'server', 'src', 'main.ts')
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...endWithParent(), main], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...anyPort, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A test that fails half-way must not wait for it.
  after(() => child.kill('SIGKILL'))
  return child
}

export async function startService({ env = {}, tree }: ServiceOptions = {}): Promise<Service> {
  const began = performance.now()
  const child = spawnService(env, tree)
  const chunks: string[] = []
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text) => chunks.push(text))
  const output = () => chunks.join('')
  const exited = once(child, 'exit').then(() => null)
  const ready = await Promise.race([readyLine(child), exited, elapsed(startSeconds)])
  if (!ready) {
    child.kill('SIGKILL')
    throw new Error(`The service did not become ready:\n${output()}`)
  }
  return {
    ready,
    child,
    startedIn: performance.now() - began,
    output,
    async stop() {
      child.kill('SIGTERM')
      await exited
      return child.exitCode
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function readyLine(child: ChildProcess): Promise<Ready | null> {
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line.startsWith('{') && line.includes('"msg":"ready"')) return JSON.parse(line)
  }
  return null
}

async function elapsed(seconds: number): Promise<null> {
  return await new Promise((resolve) => setTimeout(() => resolve(null), seconds * 1000).unref())
}

/** How a test looks into the private Postgres of a running service. */
export async function privateDatabaseUrl(dataDir: string): Promise<string> {
  const { password, port } = await privatePostmaster(dataDir)
  return `postgres://landbridge:${password}@127.0.0.1:${port}/landbridge`
}

export async function privatePostmaster(dataDir: string): Promise<{ pid: number; port: number; password: string }> {
  const folder = join(dataDir, 'postgres')
  const cluster = (await readFile(join(folder, 'elsewhere'), 'utf8').catch(() => folder)).trim()
  const lines = (await readFile(join(cluster, 'cluster', 'postmaster.pid'), 'utf8')).split('\n')
  const password = (await readFile(join(folder, 'password'), 'utf8')).trim()
  return { pid: Number(lines[0]), port: Number(lines[3]), password }
}
