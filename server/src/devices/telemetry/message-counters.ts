import type { Registry } from 'prom-client'
import type { FailureReason } from '../../events/failure-reasons.ts'
import { Counter, Distribution, registerHistogram } from '../../platform/measurements.ts'

type MessageProtocol = 'http' | 'mass' | 'mqtt'

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

/** Telemetry messages of this process since it started. */
export class MessageCounters {
  /** Messages per statement that stores them. */
  readonly batchSizes = new Distribution([1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000])
  readonly #stored: Counter<MessageProtocol>
  readonly #refused: Counter<MessageProtocol, FailureReason>

  constructor(registry: Registry) {
    const stored = 'Telemetry messages that were committed, repeated ones included.'
    this.#stored = new Counter(registry, 'landbridge_messages_stored_total', stored, ['protocol'])
    const refused = 'Telemetry messages that were refused; a mass call that is refused as a whole counts once.'
    this.#refused = new Counter(registry, 'landbridge_messages_refused_total', refused, ['protocol', 'reason'])
    const batches = 'Telemetry messages per statement that stores them.'
    registerHistogram(registry, 'landbridge_ingest_batch_messages', batches, () => [
      { labels: {}, distribution: this.batchSizes },
    ])
    for (const protocol of ['http', 'mass', 'mqtt'] as const) {
      this.#stored.start(protocol)
      for (const reason of Object.values(refusalOf)) this.#refused.start(protocol, reason)
    }
  }

  count(protocol: MessageProtocol, outcome: MessageOutcome): void {
    if ('code' in outcome) this.#refused.increment(protocol, refusalOf[outcome.code])
    else this.#stored.increment(protocol)
  }

  countRefused(protocol: MessageProtocol, reason: FailureReason): void {
    this.#refused.increment(protocol, reason)
  }
}
