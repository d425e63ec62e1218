import { open, readFile, stat, unlink, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { sleep } from './backoff.ts'

/** A lock is renewed so often, and broken by others when it was not for so long. */
const lockTimes = { renewMs: 2_000, staleMs: 15_000 }

/**
 * Creates a file that others find, and returns what deletes it again; undefined when another holds it until `until`, or is
 * seen to be alive where `whenAlive` is `give up`.
 */
export async function lockFile(
  path: string,
  { until, whenAlive }: { until: number; whenAlive: 'wait' | 'give up' },
): Promise<(() => Promise<void>) | undefined> {
  const ours = `${process.pid} ${crypto.randomUUID()} ${hostname()}`
  let firstSeen: number | undefined
  for (;;) {
    if (await create(path, ours)) return hold(path, ours)
    const renewed = (await stat(path).catch(ignoring('ENOENT')))?.mtimeMs
    firstSeen ??= renewed
    const isAlive = renewed !== undefined && renewed !== firstSeen
    if (Date.now() > until || (isAlive && whenAlive === 'give up')) return undefined
    if (!(await breakIfStale(path))) await sleep(20 + Math.random() * 60)
  }
}

async function create(path: string, text: string): Promise<boolean> {
  const file = await open(path, 'wx', 0o600).catch(ignoring('EEXIST'))
  if (!file) return false
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
  return true
}

/** A process that was stopped for long may have lost its lock to another, whose file it must leave alone. */
function hold(path: string, ours: string): () => Promise<void> {
  const isOurs = async () => (await readFile(path, 'utf8').catch(() => '')) === ours
  const renew = async () => {
    if (await isOurs()) await utimes(path, new Date(), new Date()).catch(() => {})
  }
  const timer = setInterval(() => void renew(), lockTimes.renewMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    if (await isOurs()) await unlink(path).catch(() => {})
  }
}

/** One at a time, and looked at again by that one: else the second would delete the lock that the first has just made. */
async function breakIfStale(path: string): Promise<boolean> {
  if (!(await isStale(path))) return false
  const guard = `${path}.breaking`
  if (!(await create(guard, ''))) {
    const age = Date.now() - ((await stat(guard).catch(ignoring('ENOENT')))?.mtimeMs ?? Date.now())
    if (age > lockTimes.staleMs) await unlink(guard).catch(() => {})
    return false
  }
  try {
    if (await isStale(path)) await unlink(path).catch(() => {})
  } finally {
    await unlink(guard).catch(() => {})
  }
  return true
}

async function isStale(path: string): Promise<boolean> {
  const [text, state] = await Promise.all([
    readFile(path, 'utf8').catch(ignoring('ENOENT')),
    stat(path).catch(ignoring('ENOENT')),
  ])
  if (text === undefined || !state) return false
  const [pid = '', , host] = text.split(' ')
  // Numbers of processes mean something on their own machine only.
  if (host === hostname() && Number(pid) !== process.pid && !isRunning(Number(pid))) return true
  return Date.now() - state.mtimeMs > lockTimes.staleMs
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

export function ignoring(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error
    return undefined
  }
}
