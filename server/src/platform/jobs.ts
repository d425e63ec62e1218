import type { Logger } from 'pino'
import type { Clock } from './clock.ts'
import { transaction } from './database/database.ts'
import type { Notifications } from './database/notifications.ts'
import type { Pool, Sql } from './database/sql.ts'
import { createSleepers } from './sleepers.ts'

/** Background work: short, idempotent, and safe to interrupt or to run twice. */
export interface Job {
  /** Also the name of its lock, so the same on every process. */
  name: string
  /** The longest pause between two runs, or between two looks whether there is work. */
  everySeconds: number
  /** Topics whose notifications start the next run at once, from any process or from this one; `everySeconds` is for lost ones. */
  wakeOn?: string
  wakeHere?: string
  /** Asked instead of a run that no notification caused: false leaves the run out. */
  hasWork?(): Promise<boolean>
  /** When there is work next; null while none is known. Runs are left out before, and the next look is then. */
  nextDue?(): Promise<Date | null>
  /** Runs in a transaction that holds the job's lock, so on one process at a time; what it throws undoes it. */
  run(sql: Sql): Promise<unknown>
}

/**
 * A job that divides its work by row locks (`for update skip locked`) or waits for the network: no lock, no transaction.
 * Returns false when others had taken all the work.
 */
export interface SharedJob extends Omit<Job, 'run'> {
  runShared(): Promise<unknown>
}

type AnyJob = Job | SharedJob

export interface RunningJobs {
  /** Resolves once the running jobs have finished; no other starts. */
  stop(): Promise<void>
}

export interface JobContext {
  sql: Pool
  log: Logger
  now: () => Date
  clock?: Pick<Clock, 'problem'>
  notifications?: Pick<Notifications, 'subscribe' | 'subscribeHere'>
}

/** Runs a job now; false when another process is running it, or has taken its work. */
export async function runJob(sql: Pool, job: AnyJob): Promise<boolean> {
  if ('runShared' in job) return (await job.runShared()) !== false
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
 * Of a job with due times. The process that did the last work looks at the instant it is due. The others look later, and
 * find work only if that process has stopped or does not keep up; both happen within a second of the due time.
 */
const looks = { pause: 400, standbyPause: 700, standbyDelay: 300 }

/**
 * The first runs go one after the other, in the list's order, so that the jobs of a start do not compete; then each runs
 * again when it is due. An error is logged, and the next run tries again.
 */
export function startJobs({ sql, log, now, clock, notifications }: JobContext, jobs: readonly AnyJob[]): RunningJobs {
  const sleepers = createSleepers()

  /** False when another process is running it. */
  async function turn(job: AnyJob): Promise<boolean> {
    // Nothing may expire or be deleted by a wrong clock.
    if (sleepers.stopped || clock?.problem()) return true
    return await attempt(job, true, () => runJob(sql, job))
  }

  async function attempt<T>(job: AnyJob, otherwise: T, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      log.error({ err: error, job: job.name }, 'job failed')
      return otherwise
    }
  }

  async function keepRunning(job: AnyJob, first: Promise<boolean>): Promise<void> {
    let woken = false
    let wake = () => {}
    const onNotification = () => {
      woken = true
      wake()
    }
    const { wakeOn, wakeHere } = job
    const subscription = wakeOn === undefined ? undefined : notifications?.subscribe(wakeOn, onNotification)
    const unsubscribeHere = wakeHere === undefined ? undefined : notifications?.subscribeHere(wakeHere, onNotification)
    const pause = async (milliseconds: number) => {
      if (woken) return
      const sleeping = sleepers.sleep(milliseconds)
      wake = sleeping.wake
      await sleeping.over
    }
    const longest = () => job.everySeconds * 1000 * (0.8 + Math.random() / 5)

    const { nextDue } = job
    if (nextDue) {
      let mine = await first
      while (!sleepers.stopped) {
        woken = false
        let due = await attempt(job, null, nextDue)
        if (due !== null && due <= now()) {
          mine = await turn(job)
          due = await attempt(job, null, nextDue)
        }
        const [least, delay] = mine
          ? [looks.pause, 0]
          : [looks.standbyPause, looks.standbyDelay * (0.5 + Math.random())]
        await sleepers.sleep(least).over
        // One more: a timer may end a millisecond early, and the next look is 400 later.
        if (due !== null) await pause(Math.min(longest(), due.getTime() - now().getTime() + delay + 1))
        else await pause(longest())
      }
    } else {
      let ran = await first
      while (!sleepers.stopped) {
        if (wakeOn !== undefined || wakeHere !== undefined) {
          if (!ran) woken = true
          await sleepers.sleep(pauseMilliseconds).over
        }
        await pause(longest())
        const wasWoken = woken
        woken = false
        ran = wasWoken || (await attempt(job, true, () => mayRun(job))) ? await turn(job) : true
      }
    }
    unsubscribeHere?.()
    void subscription?.then((unsubscribe) => unsubscribe())
  }

  async function mayRun(job: AnyJob): Promise<boolean> {
    if (sleepers.stopped) return false
    return job.hasWork ? await job.hasWork() : await claimTurn(sql, job)
  }

  let earlier: Promise<unknown> = Promise.resolve()
  const loops = jobs.map((job) => {
    const first = earlier.then(() => turn(job))
    earlier = first
    return keepRunning(job, first)
  })
  return {
    async stop() {
      sleepers.stop()
      await Promise.all(loops)
    },
  }
}

/**
 * One run per interval, on whichever process comes first: a hundred processes need not look a hundred times for what has
 * expired. By Postgres's clock, so that no process can take a turn that lies in the future of the others.
 */
async function claimTurn(sql: Sql, { name, everySeconds }: AnyJob): Promise<boolean> {
  const { count } = await sql`
    insert into job_turns as turn (name, taken_at) values (${name}, now())
    on conflict (name) do update set taken_at = now()
    where turn.taken_at <= now() - make_interval(secs => ${everySeconds * 0.7}) or turn.taken_at > now()`
  return count === 1
}
