import pg from 'pg'
import type { BaseContext } from '../../platform/context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import {
  isDiskFull,
  isFaultOfData,
  isUniqueViolation,
  mayHaveCommitted,
  openHotPool,
  requestDeadlines,
  tookTooLong,
} from '../../platform/database/database.ts'
import { poolSizes } from '../../platform/database/pool-sizes.ts'
import { turnsPerServer } from '../../platform/database/server-turns.ts'
import { ingestLimits, messageLimits } from '../../platform/own-limits.ts'
import { bucketOf } from '../bucket.ts'
import type { StatusCarrier } from '../live/status-carrier.ts'
import type { SettingsCarrier } from '../settings/settings-carrier.ts'
import {
  authenticateDevices,
  type Credential,
  type Ingested,
  type KnownDevice,
  laneOf,
  type MessageColumns,
  perLane,
  storeSingly,
  storeTogether,
  type TogetherColumns,
} from '../telemetry-store/telemetry-store.ts'
import { createHandOver } from './hand-over.ts'
import { type IngestQueue, ingestQueue } from './ingest-queue.ts'
import type { Message } from './message.ts'
import type { MessageCounters } from './message-counters.ts'
import { type Accepted, accepted, invalidMessage, type Outcome, outcomes } from './outcome.ts'
import { mayBePacked } from './packing.ts'
import type { Pace } from './statement-pace.ts'
import { replacesState } from './whole-state.ts'

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

/** Decisions 7.29 and 7.30. */
const bounds = {
  atOnce: 2,
  maxInRun: 1_000,
  enoughDevices: 300,
  fewMessages: 8,
  maxCharactersInRun: 8 * 1024 * 1024,
  maxHeld: ingestLimits.messages,
  maxCharacters: ingestLimits.characters,
  maxPerDevice: ingestLimits.messagesPerDevice,
}

/** Decision 9.18: a message waits a little, and costs Postgres a fraction. */
export const writerPace: Pace = { milliseconds: 40, maxMilliseconds: 200, apart: 20, enough: 100 }

export interface PipelineOptions {
  /** `npm run simulate:scale` compares these. Instead of the pace of a cell's writer, and of none elsewhere. */
  pace?: Pace | null
  /** As many lanes as a distributed database has shards. */
  lanes?: number
  /** Compares what devices report with what is wanted of them. */
  settings?: SettingsCarrier
}

/** How often a statement that failed for a moment is tried in all. */
const maxAttempts = 5

/** One per process, with separate connections: devices do not wait for applications, nor applications for devices. */
export function createTelemetryPipeline(
  context: BaseContext & { messageCounters: MessageCounters },
  statuses: StatusCarrier,
  { pace = context.siblings.handOver && writerPace, lanes, settings }: PipelineOptions = {},
): TelemetryPipeline {
  const { log } = context
  // On a distributed database, a statement for one server must not wait behind one for another.
  const depth = context.sql.shards ? 1 : 100
  const sql = openHotPool(context.sql, poolSizes(context.config.connections, context.config).ingest, depth)
  context.counters.watchPool('ingest', sql)
  const listeners: TelemetryPipeline['listeners'] = []
  const { shards } = sql
  const inTurn = turnsPerServer(requestDeadlines.waitSeconds)
  const onItsServer = <Result>(bucket: number, work: () => Promise<Result>) =>
    shards ? inTurn(shards.serverOf(bucket), work) : work()
  // Look-ups of all callers share a connection, where they must not wait behind one for a server that does not respond.
  const lookUps = shards ? sql : context.hot

  /** One result per message; undefined for those that the queue has to store fewer at a time. */
  async function run(messages: Message[], attempt = 1): Promise<(Outcome | undefined)[]> {
    context.messageCounters.batchSizes.observe(messages.length)
    try {
      const found = await store(messages.toSorted(byCredential))
      return messages.map((message) => found.get(message))
    } catch (error) {
      if (isTransient(error) && attempt < maxAttempts) return await run(messages, attempt + 1)
      if (isFaultOfData(error)) return await divide(messages, error)
      log.error({ err: error, messages: messages.length }, 'telemetry not stored')
      if (isDiskFull(error)) {
        context.disk.reportFull()
        return messages.map(() => outcomes.storageFull)
      }
      return messages.map(() => afterFailure(error))
    }
  }

  /** A distributed database that cancels a statement may have committed it on the server that has the rows. */
  function afterFailure(error: unknown): Outcome {
    const unknown = mayHaveCommitted(error) || (shards !== null && tookTooLong(error))
    return unknown ? outcomes.unknown : outcomes.overloaded
  }

  async function store(sorted: Message[], together = togetherColumns(sorted)): Promise<Outcomes> {
    const late = sql.shards !== null && sorted.some(mayBePacked)
    const columns = { ...toColumns(sorted, together, context.tracing && traceparentsOf(sorted)), late }
    const storing = onItsServer(columns.first_bucket, () =>
      together ? storeTogether(sql, columns, together) : storeSingly(sql, columns),
    )
    const ingested = await storing.catch((error) => {
      if (together !== null || !isUniqueViolation(error)) throw error
      return null
    })
    // A repeat that the simpler statement could not know.
    if (ingested === null) return await store(sorted, countTogether(sorted))
    const device_ids = () => sorted.map(({ device_id }) => device_id)
    for (const listener of listeners) listener({ customers: ingested.customers ?? [], device_ids })
    if (ingested.changes) void statuses.carry(ingested.changes)
    if (ingested.config_versions) settings?.check(ingested.config_versions.map(([at]) => sorted[at - 1]!.device_id))
    const acceptedAt = accepting(ingested)
    if (ingested.committed !== null) return await explain(sorted, ingested, { together, acceptedAt })
    if (acceptedAt === allAccepted) return allCommitted
    return new Map(sorted.map((message, index) => [message, acceptedAt(index + 1)]))
  }

  /** The outcome of each message, when some message was not committed. */
  async function explain(
    sorted: Message[],
    { committed, removed, without_room }: Ingested,
    { together, acceptedAt }: { together: TogetherColumns | null; acceptedAt: (position: number) => Accepted },
  ): Promise<Outcomes> {
    const known = new Map<Message, Outcome | undefined>()
    for (const position of committed!) known.set(sorted[position - 1]!, acceptedAt(position))
    for (const position of removed ?? []) known.set(sorted[position - 1]!, outcomes.removed)
    const full: Message[] = []
    for (const position of without_room ?? []) {
      const message = sorted[position - 1]!
      if (isAlone(sorted, position - 1)) full.push(message)
      known.set(message, isAlone(sorted, position - 1) ? stateFull : undefined)
    }
    const others = sorted.filter((message) => !known.has(message))
    // Their state may have room where data points were removed.
    const again = without_room === undefined ? others : together!.exact ? [] : full
    if (again !== others) for (const message of others) known.set(message, outcomes.wrongKey)
    if (again.length === 0) return known
    try {
      const counted = countTogether(again)
      const explained = await store(again, { ...counted, exact: counted.exact || again === full })
      for (const message of again) known.set(message, explained.get(message))
    } catch (error) {
      // Not rethrown: the other messages are committed and must not be stored again.
      log.error({ err: error, messages: again.length }, 'refused messages not explained')
      for (const message of again) known.set(message, afterFailure(error))
    }
    return known
  }

  /** Validation should have found the bad message; it must not fail the others. */
  async function divide(messages: Message[], error: unknown): Promise<(Outcome | undefined)[]> {
    log.error({ err: error, messages: messages.length }, 'telemetry refused by the database')
    if (messages.length === 1) return [invalidMessage([{ field: 'telemetries', message: 'cannot be stored' }])]
    const half = messages.length >> 1
    const first = await run(messages.slice(0, half))
    // What comes after a message that has to be stored again has to wait for it.
    const waiting = new Set(
      messages.flatMap(({ key_digest }, index) => (first[index] || index >= half ? [] : key_digest)),
    )
    const second = messages.slice(half).filter(({ key_digest }) => !waiting.has(key_digest))
    const found = second.length === 0 ? [] : await run(second)
    const stored = new Map(second.map((message, index) => [message, found[index]]))
    return messages.map((message, index) => (index < half ? first[index] : stored.get(message)))
  }

  const authenticate = perLane(
    lookUps,
    ({ device_id }: Credential) => device_id,
    () =>
      coalesce(async (credentials: Credential[]): Promise<Outcome[]> => {
        const bucket = bucketOf(credentials[0]!.device_id)
        const found = await onItsServer(bucket, () => authenticateDevices(lookUps, credentials, context.now()))
        const verdicts = new Map(found.map((known) => [known.position, verdictOn(known)]))
        return credentials.map((_, index) => verdicts.get(index + 1) ?? outcomes.wrongKey)
      }),
  )

  const { handOver: sockets } = context.siblings
  const stored = ingestQueue(run, {
    ...bounds,
    laneOf: ({ device_id }) => (lanes ? bucketOf(device_id) % lanes : laneOf(sql, bucketOf(device_id))),
    delayOf: ({ device_id }) => statuses.pending(device_id),
    ...(pace ? { pace } : {}),
  })
  const handOver = sockets && createHandOver(context, sockets, stored, bounds)
  const queue = handOver?.queue ?? stored
  const help = 'Telemetry messages of this process that wait for their commit.'
  context.metrics.gauge('landbridge_ingest_held', help, queue.held)
  return {
    queue,
    authenticate,
    listeners,
    async close() {
      await handOver?.close()
      await sql.end({ timeout: 5 })
    },
  }
}

/** Rolled back as a whole and likely to succeed at once: deadlock, serialization failure, a new partition. */
function isTransient(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (/^40(P01|001)$/.test(error.code!) || isOutOfPartition(error))
}

/** The statement chose the default partition, and then the partition of that day was created. */
function isOutOfPartition({ code, constraint, table, where }: pg.DatabaseError): boolean {
  return code === '23514' && constraint === undefined && (table === 'history_default' || isOfShard(where))
}

/** A distributed database passes on neither the table nor the constraint of an error, and the tables have no other constraint. */
function isOfShard(where: string | undefined): boolean {
  return where?.includes('while executing command on') ?? false
}

const stateFull = invalidMessage([
  {
    field: 'telemetries',
    message: `would give the device more than ${messageLimits.dataPoints.toLocaleString('en')} data points; send those it has, or remove some`,
  },
])

type Outcomes = Pick<ReadonlyMap<Message, Outcome | undefined>, 'get'>

const allCommitted: Outcomes = { get: () => outcomes.committed }

const allAccepted = () => outcomes.committed

/** The outcome of the committed message at a position, with what waits for its device. */
function accepting({ with_command, config_versions }: Ingested): (position: number) => Accepted {
  if (with_command === null && config_versions === null) return allAccepted
  const withCommand = new Set(with_command)
  const versions = new Map(config_versions)
  return (position) => accepted(withCommand.has(position), versions.get(position) ?? null)
}

function verdictOn({ removed, has_command, config_version }: KnownDevice): Outcome {
  return removed ? outcomes.removed : accepted(has_command, config_version)
}

/** Rows are locked in order of device id; messages with the same credential stay in their order. */
function byCredential(one: Message, other: Message): number {
  if (one.device_id !== other.device_id) return one.device_id < other.device_id ? -1 : 1
  if (one.key_digest !== other.key_digest) return one.key_digest < other.key_digest ? -1 : 1
  return 0
}

function isSameDevice(one: Message | undefined, other: Message | undefined): boolean {
  return one?.device_id === other?.device_id && one?.key_digest === other?.key_digest
}

function isAlone(sorted: Message[], index: number): boolean {
  return !isSameDevice(sorted[index - 1], sorted[index]) && !isSameDevice(sorted[index], sorted[index + 1])
}

function toColumns(
  messages: Message[],
  together: TogetherColumns | null,
  traceparents: string | null,
): Omit<MessageColumns, 'late'> {
  return {
    first_bucket: bucketOf(messages[0]!.device_id),
    buckets: `{${messages.map(({ device_id }) => bucketOf(device_id)).join()}}`,
    device_ids: `{${messages.map(({ device_id }) => device_id).join()}}`,
    key_digests: `{${messages.map(({ key_digest }) => `"\\\\x${key_digest}"`).join()}}`,
    arrived_at: `{${messages.map(({ arrived_at }) => arrived_at).join()}}`,
    timestamps: `{${messages.map(({ timestamp }) => timestamp).join()}}`,
    statuses: `{${messages.map(({ status }) => status).join()}}`,
    keys: `{${messages.map(({ keys }) => keys).join()}}`,
    telemetries: messages.map(({ telemetries }) => telemetries).join('\x1e'),
    timestamped: together ? null : timestampedOf(messages),
    replacing: together ? null : replacingOf(messages),
    traceparents,
  }
}

function timestampedOf(messages: Message[]): string | null {
  const found = messages.some(({ message_id }) => message_id === '')
  return found ? `{${messages.map(({ message_id }) => (message_id === '' ? 't' : 'f')).join()}}` : null
}

function replacingOf(messages: Message[]): string | null {
  const found = messages.some(replacesState)
  return found ? `{${messages.map((message) => (replacesState(message) ? 't' : 'f')).join()}}` : null
}

/** null when the simpler statement can store these messages. */
function togetherColumns(sorted: Message[]): TogetherColumns | null {
  const simple = sorted.every(
    (message, index) => isProbablyNewest(message) && !isSameDevice(sorted[index - 1], message),
  )
  return simple ? null : countTogether(sorted)
}

/** Late enough to be a repeat, or sent after an outage. */
const lateMilliseconds = 10 * 60_000

/** Nothing tells the repeat of a message without id and timestamp; one that was measured just now is hardly one. */
function isProbablyNewest({ message_id, timestamp, arrived_at }: Message): boolean {
  if (message_id === null) return true
  return message_id === '' && timestamp <= arrived_at && arrived_at - timestamp < lateMilliseconds
}

function countTogether(sorted: Message[]): TogetherColumns {
  const ordinals: number[] = []
  const otherDataPoints: number[] = []
  let first = 0
  let sets = new Set<number>()
  for (const [index, message] of sorted.entries()) {
    if (!isSameDevice(sorted[first], message) || index === 0) {
      first = index
      sets = new Set([message.keys])
    }
    ordinals.push(index - first + 1)
    otherDataPoints.push(0)
    if (!sets.has(message.keys)) otherDataPoints[first]! += message.key_count
    sets.add(message.keys)
  }
  const hasIds = sorted.some(({ message_id }) => message_id !== null)
  return {
    several: ordinals.some((ordinal) => ordinal > 1),
    ordinals: `{${ordinals.join()}}`,
    other_data_points: `{${otherDataPoints.join()}}`,
    message_ids: hasIds ? sorted.map(({ message_id }) => message_id) : null,
    exact: sorted.some(replacesState),
  }
}

function traceparentsOf(messages: Message[]): string | null {
  const traced = messages.some(({ traceparent }) => traceparent !== undefined)
  return traced ? `{${messages.map(({ traceparent }) => traceparent ?? 'null').join()}}` : null
}
