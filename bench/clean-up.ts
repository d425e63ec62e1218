// What a benchmark started ends with it: when it returns, throws, or is interrupted. Children end by themselves when this
// process is killed, and their folders are removed by the next run.
import { readdirSync, rmSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type CleanUp = () => unknown

const pending = new Set<CleanUp>()
/** What serves all benchmarks of a run. */
const shared = new Set<CleanUp>()

export function onEnd(work: () => unknown): void {
  shared.add(work)
}

/** Returns the same work, to be called when there is no need to wait for the end; it is done once. */
export function onCleanUp(work: () => unknown): () => Promise<void> {
  let done: Promise<void> | undefined
  const once = () => {
    done ??= (async () => {
      await work()
      pending.delete(once)
    })()
    return done
  }
  pending.add(once)
  return once
}

let interrupted = false

/** Never returns once the run was interrupted: what fails then fails because its processes were ended. */
export async function unlessInterrupted(): Promise<void> {
  if (interrupted) await new Promise(() => {})
}

/** After each benchmark. */
export async function cleanUp(): Promise<void> {
  await unlessInterrupted()
  await endEach(pending)
}

/** After the last one. */
export async function cleanUpAll(): Promise<void> {
  await endEach(pending)
  await endEach(shared)
}

/** The newest first: a service stops before its database. */
async function endEach(works: Set<CleanUp>): Promise<void> {
  for (const work of [...works].reverse()) {
    try {
      await work()
    } catch (error) {
      console.error(error)
    }
    works.delete(work)
  }
}

export function cleanUpWhenInterrupted(): void {
  const end = (code: number) => async () => {
    interrupted = true
    await cleanUpAll()
    process.exit(code)
  }
  process.once('SIGINT', end(130))
  process.once('SIGTERM', end(143))
  process.once('SIGHUP', end(129))
  process.once('uncaughtException', (error) => {
    console.error(error)
    void end(1)()
  })
}

const prefix = 'landbridge-bench-'

/** Its name has our process id, so that a later run can tell which ones a killed run has left. */
export async function temporaryFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await newFolder()
  return { folder, remove: onCleanUp(() => rm(folder, { recursive: true, force: true })) }
}

/** For what serves all benchmarks of a run. */
export async function sharedFolder(): Promise<string> {
  const folder = await newFolder()
  onEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function newFolder(): Promise<string> {
  removeLeftovers()
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  // Started by root, Postgres runs as another user, who must be able to pass through.
  await chmod(folder, 0o711)
  return folder
}

function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
