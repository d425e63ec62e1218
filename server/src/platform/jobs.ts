import type { Logger } from 'pino'
import type { Clock } from './clock.ts'
import { transaction } from './database/database.ts'
import type { Pool, Sql } from './database/sql.ts'

/** Background work: short, idempotent, and safe to interrupt or to run twice. */
export interface Job {
  /** Also the name of its lock, so the same on every process. */
  name: string
  everySeconds: number
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
 * The first runs go one after the other, in the list's order, so that the jobs of a start do not compete; then each runs
 * again `everySeconds` after it finished. An error is logged, and the next run tries again.
 */
export function startJobs(
  { sql, log, clock }: { sql: Pool; log: Logger; clock?: Pick<Clock, 'problem'> },
  jobs: readonly (Job | SharedJob)[],
): RunningJobs {
  let stopping = false
  const sleepers = new Set<() => void>()

  async function turn(job: Job | SharedJob): Promise<void> {
    // Nothing may expire or be deleted by a wrong clock.
    if (stopping || clock?.problem()) return
    try {
      await runJob(sql, job)
    } catch (error) {
      log.error({ err: error, job: job.name }, 'job failed')
    }
  }

  async function keepRunning(job: Job | SharedJob): Promise<void> {
    while (!stopping) {
      await sleep(job.everySeconds * 1000)
      await turn(job)
    }
  }

  function sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        sleepers.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, milliseconds)
      sleepers.add(wake)
    })
  }

  let earlier: Promise<void> = Promise.resolve()
  const loops = jobs.map((job) => {
    const first = earlier.then(() => turn(job))
    earlier = first
    return first.then(() => keepRunning(job))
  })
  return {
    async stop() {
      stopping = true
      for (const wake of sleepers) wake()
      await Promise.all(loops)
    },
  }
}
