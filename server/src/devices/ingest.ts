/**
 * The way of every message into the database, whichever protocol brought it:
 *
 *   const outcome = await ingest(context, { device_id, access_key, body })
 *
 * `body` is the parsed JSON of spec 2.6. The outcome is a value, never a throw: status 200 (committed), 401
 * (wrong key or unknown device), 410 (removed), 422 (with details) or 503 (overloaded, or the database is away).
 * `authenticateDevice(context, device_id, access_key)` answers 200, 401, 410 or 503 without a message.
 * `onIngested(context, listener)` is told after each commit whose devices spoke and whether any turned status.
 */
import type { Context } from '../context.ts'
import { coalesce } from '../platform/coalesce.ts'
import { openSibling } from '../platform/database.ts'
import { isId } from '../platform/identifiers.ts'
import { perContext } from '../platform/per-context.ts'
import type { Detail } from '../platform/refusal.ts'
import { digest } from '../platform/secrets.ts'
import { isFaultOfData, isPassing } from './ingest-faults.ts'
import { type IngestQueue, ingestQueue } from './ingest-queue.ts'
import { authenticateDevices, type Ingested, ingestMessages } from './store/ingest.ts'
import { readTelemetry, type Telemetry } from './telemetry.ts'

export type Outcome =
  | { status: 200 }
  | { status: 401; code: 'invalid_access_key'; error: string }
  | { status: 410; code: 'device_removed'; error: string }
  | { status: 422; code: 'invalid'; error: string; details: Detail[] }
  | { status: 503; code: 'overloaded'; error: string }

export const outcomes = {
  committed: { status: 200 },
  wrongKey: { status: 401, code: 'invalid_access_key', error: 'The device is unknown, or this is not its access key.' },
  removed: { status: 410, code: 'device_removed', error: 'The device was removed. Register it again to use it.' },
  overloaded: { status: 503, code: 'overloaded', error: 'Too busy to store the message. Send it again later.' },
} as const satisfies Record<string, Outcome>

/** Seconds a device should wait after a 503. */
export const retryAfterSeconds = 2

export interface IncomingMessage {
  device_id: string
  access_key: string
  body: unknown
}

interface Message extends Telemetry {
  device_id: string
  key_digest: string
  arrived_at: number
}

const bounds = { lanes: 2, mostInRun: 500, mostWaiting: 20_000 }

export async function ingest(
  context: Context,
  { device_id, access_key, body }: IncomingMessage,
  envelope?: ReadonlySet<string>,
): Promise<Outcome> {
  const { queue } = ingestion(context)
  if (!isId(device_id)) return outcomes.wrongKey
  if (!queue.hasRoom(1)) return outcomes.overloaded
  const arrived_at = context.now().getTime()
  const telemetry = readTelemetry(body, arrived_at, envelope)
  if (Array.isArray(telemetry)) {
    // Who may not speak is told so before being told how to.
    const outcome = await authenticateDevice(context, device_id, access_key)
    return outcome.status === 200 ? invalidMessage(telemetry) : outcome
  }
  const message = {
    ...telemetry,
    device_id: device_id.toLowerCase(),
    key_digest: digest(access_key).toString('hex'),
    arrived_at,
  }
  try {
    return await queue(message)
  } catch (error) {
    context.log.error({ err: error }, 'telemetry not stored')
    return outcomes.overloaded
  }
}

/** Whether a call with so many messages can be taken as a whole. */
export function hasRoomFor(context: Context, count: number): boolean {
  return ingestion(context).queue.hasRoom(count)
}

/** The first success also counts as the key's first use: from then on the device cannot simply register again. */
export async function authenticateDevice(context: Context, deviceId: string, accessKey: string): Promise<Outcome> {
  if (!isId(deviceId)) return outcomes.wrongKey
  const credential = { device_id: deviceId.toLowerCase(), key_digest: digest(accessKey).toString('hex') }
  try {
    return await ingestion(context).authenticate(credential)
  } catch (error) {
    context.log.error({ err: error }, 'device not authenticated')
    return outcomes.overloaded
  }
}

export interface IngestNews {
  /** Customers whose devices spoke. */
  customers: string[]
  /** Whether `status_changes` has something new. */
  turned: boolean
}

export function onIngested(context: Context, listener: (news: IngestNews) => void): void {
  ingestion(context).listeners.push(listener)
}

export async function closeIngest(context: Context): Promise<void> {
  await ingestion(context).close()
}

function invalidMessage(details: Detail[]): Outcome {
  const error = `${details.map(({ field, message }) => `${field} ${message}`).join('; ')}.`
  return { status: 422, code: 'invalid', error, details }
}

interface Ingestion {
  queue: IngestQueue<Message, Outcome>
  authenticate(credential: { device_id: string; key_digest: string }): Promise<Outcome>
  listeners: ((news: IngestNews) => void)[]
  close(): Promise<void>
}

const ingestion = perContext((context: Context): Ingestion => {
  // Connections of its own: a slow list must not hold up devices. A generic plan that walks from the messages to their
  // devices locks rows in the order of the messages, which is the order of device ids.
  const sql = openSibling(context.sql, {
    max: bounds.lanes,
    settings: {
      plan_cache_mode: 'force_generic_plan',
      enable_hashjoin: 'off',
      enable_mergejoin: 'off',
      enable_seqscan: 'off',
    },
  })
  const listeners: Ingestion['listeners'] = []

  async function run(messages: Message[]): Promise<Outcome[]> {
    const sorted = messages.toSorted((a, b) => (a.device_id < b.device_id ? -1 : 1))
    try {
      const ingested = await ingestMessages(sql, toColumns(sorted))
      for (const listener of listeners) listener({ customers: ingested.customers ?? [], turned: ingested.turned })
      return outcomesOf(messages, sorted, ingested)
    } catch (error) {
      if (isPassing(error)) return await run(messages)
      if (!isFaultOfData(error)) throw error
      // Validation should have found it. One message is to blame, and must not take the others with it.
      context.log.error({ err: error, messages: messages.length }, 'statement refused')
      if (messages.length === 1) return [invalidMessage([{ field: 'telemetries', message: 'cannot be stored' }])]
      const half = messages.length >> 1
      return [...(await run(messages.slice(0, half))), ...(await run(messages.slice(half)))]
    }
  }

  return {
    queue: ingestQueue(run, bounds),
    authenticate: coalesce(async (credentials) => {
      const found = await authenticateDevices(context.sql, credentials, context.now())
      const verdicts = new Map(found.map(({ place, removed }) => [place, removed]))
      return credentials.map((_, index) => {
        const removed = verdicts.get(index + 1)
        return removed === undefined ? outcomes.wrongKey : removed ? outcomes.removed : outcomes.committed
      })
    }),
    listeners,
    close: () => sql.end({ timeout: 5 }),
  }
})

function outcomesOf(messages: Message[], sorted: Message[], { unknown, removed }: Ingested): Outcome[] {
  if (!unknown && !removed) return messages.map(() => outcomes.committed)
  const refused = new Map<Message, Outcome>()
  for (const place of unknown ?? []) refused.set(sorted[place - 1]!, outcomes.wrongKey)
  for (const place of removed ?? []) refused.set(sorted[place - 1]!, outcomes.removed)
  return messages.map((message) => refused.get(message) ?? outcomes.committed)
}

function toColumns(messages: Message[]) {
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
