import pg from 'pg'
import type { BaseContext } from '../../context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { isDiskFull, isFaultOfData, openHotPool } from '../../platform/database/database.ts'
import { statusChangedTopic } from '../live/topics.ts'
import {
  authenticateDevices,
  type Credential,
  type Ingested,
  ingestMessages,
  listWithoutRoom,
  type MessageColumns,
  maxDataPoints,
} from '../store/ingest.ts'
import { type IngestQueue, ingestQueue } from './ingest-queue.ts'
import { invalidMessage, type Outcome, outcomes } from './outcome.ts'
import type { Telemetry } from './telemetry.ts'

export interface Message extends Telemetry, Credential {
  arrived_at: number
  /** The span of its commit, while it is traced. */
  traceparent?: string
}

/** What was committed, for live streams. */
export interface IngestedBatch {
  customers: string[]
  /** Every device of the batch; a function, since it is seldom needed. */
  device_ids(): string[]
}

export interface TelemetryPipeline {
  queue: IngestQueue<Message, Outcome>
  authenticate(credential: Credential): Promise<Outcome>
  listeners: ((batch: IngestedBatch) => void)[]
  close(): Promise<void>
}

const bounds = { lanes: 2, maxInRun: 500, maxHeld: 20_000, maxCharacters: 64 * 1024 * 1024, maxPerDevice: 1_000 }

/** One per process, with separate connections: devices do not wait for applications, nor applications for devices. */
export function createTelemetryPipeline(context: BaseContext): TelemetryPipeline {
  const { log } = context
  const sql = openHotPool(context.sql, { max: bounds.lanes })
  context.counters.watchPool('ingest', sql)
  const listeners: TelemetryPipeline['listeners'] = []

  async function run(messages: Message[]): Promise<Outcome[]> {
    context.counters.batchSizes.observe(messages.length)
    const sorted = messages.toSorted((a, b) => (a.device_id < b.device_id ? -1 : 1))
    try {
      const ingested = await ingestMessages(sql, toColumns(sorted, context.tracing && traceparentsOf(sorted)))
      const device_ids = () => sorted.map(({ device_id }) => device_id)
      for (const listener of listeners) listener({ customers: ingested.customers ?? [], device_ids })
      // After the commit and within the process: a NOTIFY in the statement would serialize every commit.
      if (ingested.status_changed) context.notifications.publishHere(statusChangedTopic)
      const outcomeOf = await explain(sorted, ingested)
      return messages.map(outcomeOf)
    } catch (error) {
      if (isTransient(error)) return await run(messages)
      if (isFaultOfData(error)) return await divide(messages, error)
      log.error({ err: error, messages: messages.length }, 'telemetry not stored')
      if (isDiskFull(error)) {
        context.disk.reportFull()
        return messages.map(() => outcomes.storageFull)
      }
      return messages.map(() => outcomes.overloaded)
    }
  }

  /** The outcome of each message; the reasons are read only when some message was not committed. */
  async function explain(sorted: Message[], { committed, removed }: Ingested): Promise<(message: Message) => Outcome> {
    if (committed === null) return () => outcomes.committed
    const known = new Map<Message, Outcome>()
    for (const position of committed) known.set(sorted[position - 1]!, outcomes.committed)
    for (const position of removed ?? []) known.set(sorted[position - 1]!, outcomes.removed)
    const others = sorted.filter((message) => !known.has(message))
    try {
      const withoutRoom = others.length > 0 ? await listWithoutRoom(sql, toColumns(others)) : []
      for (const position of withoutRoom) known.set(others[position - 1]!, stateFull)
    } catch (error) {
      // Not rethrown: the other messages are committed and must not be stored again.
      log.error({ err: error, messages: others.length }, 'refused messages not explained')
      for (const message of others) known.set(message, outcomes.overloaded)
    }
    return (message) => known.get(message) ?? outcomes.wrongKey
  }

  /** Validation should have found the bad message; it must not fail the others. */
  async function divide(messages: Message[], error: unknown): Promise<Outcome[]> {
    log.error({ err: error, messages: messages.length }, 'telemetry refused by the database')
    if (messages.length === 1) return [invalidMessage([{ field: 'telemetries', message: 'cannot be stored' }])]
    const half = messages.length >> 1
    return [...(await run(messages.slice(0, half))), ...(await run(messages.slice(half)))]
  }

  const authenticate = coalesce(async (credentials: Credential[]): Promise<Outcome[]> => {
    const found = await authenticateDevices(context.hot, credentials, context.now())
    const verdicts = new Map(found.map(({ position, removed }) => [position, removed]))
    return credentials.map((_, index) => {
      const removed = verdicts.get(index + 1)
      return removed === undefined ? outcomes.wrongKey : removed ? outcomes.removed : outcomes.committed
    })
  })

  const queue = ingestQueue(run, bounds)
  const help = 'Telemetry messages of this process that wait for their commit.'
  context.metrics.gauge('landbridge_ingest_held', help, queue.held)
  return { queue, authenticate, listeners, close: () => sql.end({ timeout: 5 }) }
}

/** Rolled back as a whole and likely to succeed at once: deadlock, serialization failure, a new partition. */
function isTransient(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (/^40(P01|001)$/.test(error.code!) || isOutOfPartition(error))
}

/** The statement chose the default partition, and then the partition of that day was created. */
function isOutOfPartition({ code, constraint, table }: pg.DatabaseError): boolean {
  return code === '23514' && constraint === undefined && table === 'history_default'
}

const stateFull = invalidMessage([
  {
    field: 'telemetries',
    message: `would give the device more than ${maxDataPoints.toLocaleString('en')} data points; send those it has`,
  },
])

function toColumns(messages: Message[], traceparents: string | null = null): MessageColumns {
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
    traceparents,
  }
}

function traceparentsOf(messages: Message[]): string | null {
  const traced = messages.some(({ traceparent }) => traceparent !== undefined)
  return traced ? `{${messages.map(({ traceparent }) => traceparent ?? 'null').join()}}` : null
}
