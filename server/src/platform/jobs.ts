import type { Logger } from 'pino'
import type { Clock } from './clock.ts'
import { transaction } from './database/database.ts'
import type { Notifications } from './database/notifications.ts'
import type { Pool, Sql } from './database/sql.ts'

/** Background work: short, idempotent, and safe to interrupt or to run twice. */
export interface Job {
  /** Also the name of its lock, so the same on every process. */
  name: string
  everySeconds: number
  /** A topic whose notifications start the next run at once; `everySeconds` is then the fallback for lost ones. */
  wakeOn?: string
  /** Runs in a transaction that holds the job's lock, so on one process at a time; what it throws undoes it. */
  run(sql: Sql): Promise<unknown>
}

/** A job that divides its work by row locks (`for update skip locked`) or waits for the network: no lock, no transaction. */
export interface SharedJob extends Omit<Job, 'run'> {
  runShared(): Promise<unknown>
}

export interface RunningJobs {
  /** Resolves once the running jobs have finished; no other starts. */
  stop(): Promise<void>
}

/** Runs a job now; false when another process is running it. */
export async function runJob(sql: Pool, job: Job | SharedJob): Promise<boolean> {
  if ('runShared' in job) {
    await job.runShared()
    return true
  }
  return await transaction(sql, async (tx) => {
    const [lock] = await tx<{ held: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtextextended(${`landbridge job ${job.name}`}, 0)) as held`
    if (!lock!.held) return false
    await job.run(tx)
    return true
  })
}

/**
 * Between two runs of a job that notifications wake: many changes share a run, and a run that found the lock taken is
 * repeated, because the process that has it may have looked before the change was committed.
 */
const pauseMilliseconds = 50

/**
 * The first runs go one after the other, in the list's order, so that the jobs of a start do not compete; then each runs
 * again `everySeconds` after it finished. An error is logged, and the next run tries again.
 */
export function startJobs(
  {
    sql,
    log,
    clock,
    notifications,
  }: { sql: Pool; log: Logger; clock?: Pick<Clock, 'problem'>; notifications?: Pick<Notifications, 'subscribe'> },
  jobs: readonly (Job | SharedJob)[],
): RunningJobs {
  let stopping = false
  const sleepers = new Set<() => void>()

  /** False when another process is running it. */
  async function turn(job: Job | SharedJob): Promise<boolean> {
    // Nothing may expire or be deleted by a wrong clock.
    if (stopping || clock?.problem()) return true
    try {
      return await runJob(sql, job)
    } catch (error) {
      log.error({ err: error, job: job.name }, 'job failed')
      return true
    }
  }

  async function keepRunning(job: Job | SharedJob, first: Promise<boolean>): Promise<void> {
    let due = false
    let wake = () => {}
    const { wakeOn } = job
    const onNotification = () => {
      due = true
      wake()
    }
    const subscription = wakeOn === undefined ? undefined : notifications?.subscribe(wakeOn, onNotification)
    let ran = await first
    while (!stopping) {
      if (wakeOn !== undefined) {
        if (!ran) due = true
        await sleep(pauseMilliseconds).over
      }
      if (!due) {
        const sleeping = sleep(job.everySeconds * 1000)
        wake = sleeping.wake
        await sleeping.over
      }
      due = false
      ran = await turn(job)
    }
    void subscription?.then((unsubscribe) => unsubscribe())
  }

  function sleep(milliseconds: number): { over: Promise<void>; wake: () => void } {
    let wake = () => {}
    const over = new Promise<void>((resolve) => {
      wake = () => {
        clearTimeout(timer)
        sleepers.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, stopping ? 0 : milliseconds)
      sleepers.add(wake)
    })
    return { over, wake }
  }

  let earlier: Promise<unknown> = Promise.resolve()
  const loops = jobs.map((job) => {
    const first = earlier.then(() => turn(job))
    earlier = first
    return keepRunning(job, first)
  })
  return {
    async stop() {
      stopping = true
      for (const wake of sleepers) wake()
      await Promise.all(loops)
    },
  }
}
