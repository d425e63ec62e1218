import { Gauge, type Registry } from 'prom-client'
import type { Pool, Sql } from './database/sql.ts'
import type { Job, SharedJob } from './jobs.ts'
import { Counter, registerHistogram } from './measurements.ts'
import { defaultQuotas, defaultRates, type QuotaName, type RateName } from './own-limits.ts'

const limitNames = [
  ...(Object.keys(defaultRates) as RateName[]),
  ...(Object.keys(defaultQuotas) as QuotaName[]),
  'wrong_keys' as const,
]
type LimitName = (typeof limitNames)[number]

/** Jobs, pools and limits of this process since it started, counted where it happens; each area counts what it does itself. */
export class WorkCounters {
  readonly #now: () => Date
  readonly #limited: Counter<LimitName>
  readonly #jobRuns: Counter
  readonly #jobFailures: Counter
  readonly #jobIntervals: Gauge<'job_name'>
  readonly #jobSuccesses: Gauge<'job_name'>
  readonly #pools = new Map<string, Pool>()

  constructor(registry: Registry, now: () => Date) {
    this.#now = now
    const counter = (name: string, help: string) => new Counter(registry, name, help, ['job_name'])
    const gauge = (name: string, help: string) =>
      new Gauge({ name, help, labelNames: ['job_name'] as const, registers: [registry], aggregator: 'max' })

    const limited = 'Calls that were refused because a rate or quota was used up, and wrong keys beyond their limit.'
    this.#limited = new Counter(registry, 'landbridge_limited_calls_total', limited, ['limit'])
    for (const name of limitNames) this.#limited.start(name)

    // Not `job`, which Prometheus itself sets.
    this.#jobRuns = counter('landbridge_job_runs_total', 'Runs of a background job on this process.')
    this.#jobFailures = counter('landbridge_job_failures_total', 'Runs of a background job that failed.')
    this.#jobIntervals = gauge('landbridge_job_interval_seconds', 'Pause between two runs of a background job.')
    const success = 'When a background job last succeeded on this process, as Unix time.'
    this.#jobSuccesses = gauge('landbridge_job_last_success_timestamp_seconds', success)

    const wait = 'Time that statements and transactions waited for a connection, by pool.'
    registerHistogram(registry, 'landbridge_pool_wait_seconds', wait, () =>
      [...this.#pools].map(([pool, { waits }]) => ({ labels: { pool }, distribution: waits })),
    )
    const pools = this.#pools
    new Gauge({
      name: 'landbridge_pool_waiting',
      help: 'Statements and transactions that wait for a connection now, by pool.',
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        for (const [pool, { waiting }] of pools) this.set({ pool }, waiting())
      },
    })
  }

  countLimited(limit: LimitName): void {
    this.#limited.increment(limit)
  }

  /** The newest pool of a name counts: a test may open a second one. */
  watchPool(name: string, pool: Pool): void {
    this.#pools.set(name, pool)
  }

  /** The same job, counted. A run that finds another process at work is not a run. */
  watchJob<Watched extends Job | SharedJob>(job: Watched): Watched {
    const { name, everySeconds } = job
    this.#jobIntervals.set({ job_name: name }, everySeconds)
    this.#jobRuns.start(name)
    this.#jobFailures.start(name)
    const watch = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        const result = await work()
        this.#jobSuccesses.set({ job_name: name }, this.#now().getTime() / 1000)
        return result
      } catch (error) {
        this.#jobFailures.increment(name)
        throw error
      }
    }
    const count = <T>(work: () => Promise<T>): Promise<T> => {
      this.#jobRuns.increment(name)
      return watch(work)
    }
    const { hasWork, nextDue } = job
    return {
      ...job,
      // A job that has looked and found nothing to do is as well as one that has run.
      ...(hasWork && { hasWork: () => watch(hasWork) }),
      ...(nextDue && { nextDue: () => watch(nextDue) }),
      ...('runShared' in job
        ? { runShared: () => count(() => job.runShared()) }
        : { run: (sql: Sql) => count(() => (job as Job).run(sql)) }),
    }
  }
}
