import type { Context } from '../../context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { isFaultOfData, openHotPool } from '../../platform/database/database.ts'
import {
  authenticateDevices,
  type Credential,
  type Ingested,
  ingestMessages,
  listWithoutRoom,
  type MessageColumns,
  maxDataPoints,
} from '../store/ingest.ts'
import { isPassing } from './ingest-errors.ts'
import { type IngestQueue, ingestQueue } from './ingest-queue.ts'
import { invalidMessage, type Outcome, outcomes } from './outcome.ts'
import type { Telemetry } from './telemetry.ts'

export interface Message extends Telemetry, Credential {
  arrived_at: number
}

/** What is told after a commit. */
export interface IngestNews {
  /** Customers whose devices spoke. */
  customers: string[]
  /** Whether `status_changes` has something new. */
  turned: boolean
  /** Every device of the batch; a function, since mostly nobody asks. */
  device_ids(): string[]
}

export interface Ingestion {
  queue: IngestQueue<Message, Outcome>
  authenticate(credential: Credential): Promise<Outcome>
  listeners: ((news: IngestNews) => void)[]
  close(): Promise<void>
}

const bounds = { lanes: 2, maxInRun: 500, maxHeld: 20_000, maxCharacters: 64 * 1024 * 1024, maxOfADevice: 1_000 }

/** One a process, with connections of its own: devices do not wait for applications, nor these for devices. */
export function createIngestion(context: Context): Ingestion {
  const { log } = context
  const sql = openHotPool(context.sql, { max: bounds.lanes })
  context.counters.watchPool('ingest', sql)
  const listeners: Ingestion['listeners'] = []

  async function run(messages: Message[]): Promise<Outcome[]> {
    context.counters.batchSizes.observe(messages.length)
    const sorted = messages.toSorted((a, b) => (a.device_id < b.device_id ? -1 : 1))
    try {
      const ingested = await ingestMessages(sql, toColumns(sorted))
      const device_ids = () => sorted.map(({ device_id }) => device_id)
      const news = { customers: ingested.customers ?? [], turned: ingested.turned, device_ids }
      for (const listener of listeners) listener(news)
      const outcomeOf = await explain(sorted, ingested)
      return messages.map(outcomeOf)
    } catch (error) {
      if (isPassing(error)) return await run(messages)
      if (isFaultOfData(error)) return await divide(messages, error)
      log.error({ err: error, messages: messages.length }, 'telemetry not stored')
      return messages.map(() => outcomes.overloaded)
    }
  }

  /** What became of each message; only when something was not taken is it asked why. */
  async function explain(sorted: Message[], { taken, removed }: Ingested): Promise<(message: Message) => Outcome> {
    if (taken === null) return () => outcomes.committed
    const known = new Map<Message, Outcome>()
    for (const place of taken) known.set(sorted[place - 1]!, outcomes.committed)
    for (const place of removed ?? []) known.set(sorted[place - 1]!, outcomes.removed)
    const others = sorted.filter((message) => !known.has(message))
    try {
      const withoutRoom = others.length > 0 ? await listWithoutRoom(sql, toColumns(others)) : []
      for (const place of withoutRoom) known.set(others[place - 1]!, stateFull)
    } catch (error) {
      // Never thrown on: the messages that were taken are committed, and must not be stored again.
      log.error({ err: error, messages: others.length }, 'refused messages not explained')
      for (const message of others) known.set(message, outcomes.overloaded)
    }
    return (message) => known.get(message) ?? outcomes.wrongKey
  }

  /** Validation should have found it. One message is to blame, and must not take the others with it. */
  async function divide(messages: Message[], error: unknown): Promise<Outcome[]> {
    log.error({ err: error, messages: messages.length }, 'statement refused')
    if (messages.length === 1) return [invalidMessage([{ field: 'telemetries', message: 'cannot be stored' }])]
    const half = messages.length >> 1
    return [...(await run(messages.slice(0, half))), ...(await run(messages.slice(half)))]
  }

  const authenticate = coalesce(async (credentials: Credential[]): Promise<Outcome[]> => {
    const found = await authenticateDevices(context.hot, credentials, context.now())
    const verdicts = new Map(found.map(({ place, removed }) => [place, removed]))
    return credentials.map((_, index) => {
      const removed = verdicts.get(index + 1)
      return removed === undefined ? outcomes.wrongKey : removed ? outcomes.removed : outcomes.committed
    })
  })

  const queue = ingestQueue(run, bounds)
  const held = 'Telemetry messages of this process that wait for their commit.'
  context.metrics.gauge('landbridge_ingest_held', held, queue.held)
  return { queue, authenticate, listeners, close: () => sql.end({ timeout: 5 }) }
}

const stateFull = invalidMessage([
  {
    field: 'telemetries',
    message: `would give the device more than ${maxDataPoints.toLocaleString('en')} data points; send those it has`,
  },
])

function toColumns(messages: Message[]): MessageColumns {
  return {
    device_ids: `{${messages.map(({ device_id }) => device_id).join()}}`,
    key_digests: `{${messages.map(({ key_digest }) => `"\\\\x${key_digest}"`).join()}}`,
    arrived_at: `{${messages.map(({ arrived_at }) => arrived_at).join()}}`,
    timestamps: `{${messages.map(({ timestamp }) => timestamp).join()}}`,
    statuses: `{${messages.map(({ status }) => status).join()}}`,
    keys: `{${messages.map(({ keys }) => keys).join()}}`,
    telemetries: messages.map(({ telemetries }) => telemetries).join('\x1e'),
    message_ids: messages.some(({ message_id }) => message_id !== null)
      ? messages.map(({ message_id }) => message_id)
      : null,
  }
}
