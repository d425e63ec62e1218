import { Gauge, type Registry } from 'prom-client'
import { type FailureReason, isFailureReason } from './events/failure-reasons.ts'
import type { Pool, Sql } from './platform/database/sql.ts'
import type { Job, SharedJob } from './platform/jobs.ts'
import { Counter, Distribution, registerHistogram } from './platform/measurements.ts'

export type MessageProtocol = 'http' | 'mass' | 'mqtt'
export type GrantType = 'authorization_code' | 'refresh_token'
export type RegistrationOutcome = 'registered' | 'limited' | 'refused'
export type AttemptOutcome = 'delivered' | 'retry' | 'give_up' | 'gone' | 'disable'

/** By the code of a refused message's outcome. */
const refusalOf = {
  invalid_access_key: 'access_key_wrong',
  device_removed: 'device_removed',
  device_moved: 'device_moved',
  invalid: 'telemetry_invalid',
  overloaded: 'overloaded',
  storage_full: 'storage_full',
  unknown_outcome: 'unknown_outcome',
} as const satisfies Record<string, FailureReason>

export type MessageOutcome = { status: 200 } | { status: number; code: keyof typeof refusalOf }

/** What this process has done since it started, counted where it happens. What Postgres knows is in `service-gauges.ts`. */
export class Counters {
  /** Messages per statement that stores them. */
  readonly batchSizes = new Distribution([1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000])
  readonly #now: () => Date
  readonly #stored: Counter<MessageProtocol>
  readonly #refused: Counter<MessageProtocol, FailureReason>
  readonly #registrations: Counter<RegistrationOutcome>
  readonly #deletedDevices: Counter
  readonly #tokensIssued: Counter<GrantType>
  readonly #tokensRefused: Counter<FailureReason | 'server_error' | 'other'>
  readonly #attempts: Counter<AttemptOutcome>
  readonly #jobRuns: Counter
  readonly #jobFailures: Counter
  readonly #jobIntervals: Gauge<'job_name'>
  readonly #jobSuccesses: Gauge<'job_name'>
  readonly #pools = new Map<string, Pool>()

  constructor(registry: Registry, now: () => Date) {
    this.#now = now
    const counter = (name: string, help: string, ...labels: string[]) => new Counter(registry, name, help, labels)
    const gauge = (name: string, help: string) =>
      new Gauge({ name, help, labelNames: ['job_name'] as const, registers: [registry], aggregator: 'max' })

    const stored = 'Telemetry messages that were committed, repeated ones included.'
    this.#stored = counter('landbridge_messages_stored_total', stored, 'protocol')
    const refused = 'Telemetry messages that were refused; a mass call that is refused as a whole counts once.'
    this.#refused = counter('landbridge_messages_refused_total', refused, 'protocol', 'reason')
    const batches = 'Telemetry messages per statement that stores them.'
    registerHistogram(registry, 'landbridge_ingest_batch_messages', batches, () => [
      { labels: {}, distribution: this.batchSizes },
    ])
    for (const protocol of ['http', 'mass', 'mqtt'] as const) {
      this.#stored.start(protocol)
      for (const reason of Object.values(refusalOf)) this.#refused.start(protocol, reason)
    }

    const registrations = 'Registrations of devices: stored, refused by the limit of their hardware key, or refused.'
    this.#registrations = counter('landbridge_registrations_total', registrations, 'outcome')
    for (const outcome of ['registered', 'limited', 'refused'] as const) this.#registrations.start(outcome)
    const deleted = 'Devices that were deleted because they were removed long ago.'
    this.#deletedDevices = counter('landbridge_devices_deleted_total', deleted)
    this.#deletedDevices.start('')

    const issued = 'Successful responses of the token endpoint, each with an access and a refresh token.'
    this.#tokensIssued = counter('landbridge_tokens_issued_total', issued, 'grant_type')
    const notIssued = 'Refused requests to the token endpoint, by the private reason of the integration log.'
    this.#tokensRefused = counter('landbridge_tokens_refused_total', notIssued, 'reason')
    for (const grantType of ['authorization_code', 'refresh_token'] as const) this.#tokensIssued.start(grantType)
    for (const reason of ['signing_unavailable', 'refresh_replayed', 'server_error', 'other'] as const) {
      this.#tokensRefused.start(reason)
    }

    const attempts = 'Attempts to deliver an event to a webhook, by what follows from the response.'
    this.#attempts = counter('landbridge_webhook_attempts_total', attempts, 'outcome')
    for (const outcome of ['delivered', 'retry', 'give_up', 'gone', 'disable'] as const) this.#attempts.start(outcome)

    const runs = 'Runs of a background job on this process.'
    // Not `job`, which Prometheus itself sets.
    this.#jobRuns = counter('landbridge_job_runs_total', runs, 'job_name')
    this.#jobFailures = counter('landbridge_job_failures_total', 'Runs of a background job that failed.', 'job_name')
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

  countMessage(protocol: MessageProtocol, outcome: MessageOutcome): void {
    if ('code' in outcome) this.#refused.increment(protocol, refusalOf[outcome.code])
    else this.#stored.increment(protocol)
  }

  countRefusedMessage(protocol: MessageProtocol, reason: FailureReason): void {
    this.#refused.increment(protocol, reason)
  }

  countRegistration(outcome: RegistrationOutcome): void {
    this.#registrations.increment(outcome)
  }

  countDeletedDevices(devices: number): void {
    this.#deletedDevices.increment('', undefined, devices)
  }

  countTokens(grantType: GrantType, responses = 1): void {
    this.#tokensIssued.increment(grantType, undefined, responses)
  }

  countRefusedTokens(status: number, reason: string | undefined): void {
    const other = status >= 500 ? 'server_error' : 'other'
    this.#tokensRefused.increment(isFailureReason(reason) ? reason : other)
  }

  countAttempt(outcome: AttemptOutcome): void {
    this.#attempts.increment(outcome)
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
