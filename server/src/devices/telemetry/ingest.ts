/**
 * Stores every message, whichever protocol brought it:
 *
 *   const outcome = await ingest(context, { device_id, key_digest, body })
 *
 * `body` is the parsed JSON of contract 2.6. The outcome is a value, never a throw: status 200 (committed), 401
 * (wrong key or unknown device), 410 (removed), 422 (with details) or 503 (overloaded or storage_full: not stored;
 * unknown_outcome: nobody knows, decision 7.60).
 * `authenticateDevice(context, { device_id, key_digest })` returns 200, 401, 410 or 503 without a message.
 */
import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Detail } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import type { TraceSpan, Tracing } from '../../platform/tracing.ts'
import type { Context } from '../context.ts'
import type { Credential } from '../telemetry-store/telemetry-store.ts'
import type { Message } from './message.ts'
import { invalidMessage, type Outcome, outcomes, type Unavailable } from './outcome.ts'
import { readTelemetry } from './telemetry.ts'
import type { TelemetryPipeline } from './telemetry-pipeline.ts'

export type { Credential } from '../telemetry-store/telemetry-store.ts'
export { type Outcome, outcomes, type Unavailable } from './outcome.ts'

/** Seconds a device should wait after a 503. */
export const retryAfterSeconds = 2

export interface IncomingMessage extends Credential {
  body: unknown
}

/** The access key itself is stored nowhere. */
export function keyDigest(accessKey: string): string {
  return hash('sha256', accessKey)
}

export async function ingest(context: Context, incoming: IncomingMessage): Promise<Outcome> {
  const { queue } = context.telemetry
  if (!isId(incoming.device_id)) return outcomes.wrongKey
  const message = readMessage(incoming, context.now().getTime())
  if (Array.isArray(message)) return await refuse(context, incoming, message)
  if (context.disk.isFull()) return outcomes.storageFull
  if (context.clock.problem() || !queue.hasRoom(1, message.key_digest)) return outcomes.overloaded
  const span = context.tracing && startCommit(context.tracing, [{ message }])
  const outcome = await new Promise<Outcome>((resolve) => queue.push(message, resolve))
  span?.end(undefined, { failed: outcome.status === 503 })
  return outcome.status === 200 && message.firmware_version !== null
    ? await recordFirmware(context, message, outcome)
    : outcome
}

/** From the queue to the commit; a status that changes continues the trace from here. */
function startCommit(tracing: Tracing, valid: { message: Message }[]): TraceSpan | null {
  const span = tracing.startChild('commit')
  if (span) for (const { message } of valid) message.traceparent = span.traceparent
  return span
}

/** After the message, whose outcome authenticates the device, and before its acknowledgement. */
async function recordFirmware(context: Context, message: Message, outcome: Outcome): Promise<Outcome> {
  const { device_id, firmware_version, timestamp, arrived_at, traceparent } = message
  const at = Math.min(timestamp, arrived_at)
  try {
    await context.reportFirmware({ device_id, firmware_version: firmware_version!, at, traceparent })
    return outcome
  } catch (error) {
    context.log.error({ err: error, device_id }, 'firmware version not stored')
    // The message itself is stored.
    return outcomes.unknown
  }
}

/** Messages of one call that are validated before other requests get a turn. */
const maxPerTurn = 50

/**
 * One outcome per message, in order; null when there is no room for all of them. The messages of a large call are
 * validated only after a key: validation costs more than parsing, and anybody can send a large call.
 */
export async function ingestAll(
  context: Context,
  messages: (IncomingMessage | Detail[])[],
  envelope: ReadonlySet<string>,
  { large }: { large: boolean },
): Promise<Outcome[] | null> {
  const { queue } = context.telemetry
  const hasRoom = () => queue.hasRoom(messages.length) && everyKeyHasRoom(queue, messages)
  if (!hasRoom()) return null
  const verdicts = large && !(await beginsWithRightKey(context, messages)) ? await verdictsOn(context, messages) : []
  const arrivedAt = context.now().getTime()
  const results: Outcome[] = new Array(messages.length)
  const refusals: Promise<void>[] = []
  const valid: { message: Message; index: number }[] = []
  const setLater = async (index: number, outcome: Promise<Outcome>) => {
    results[index] = await outcome
  }
  for (const [index, incoming] of messages.entries()) {
    if (index % maxPerTurn === maxPerTurn - 1 && large) await nextTurn()
    const verdict = verdicts[index]
    if (verdict && verdict.status !== 200) results[index] = verdict
    else if (Array.isArray(incoming)) results[index] = invalidMessage(incoming)
    else if (!isId(incoming.device_id)) results[index] = outcomes.wrongKey
    else {
      const message = readMessage(incoming, arrivedAt, envelope)
      if (!Array.isArray(message)) valid.push({ message, index })
      else refusals.push(setLater(index, refuse(context, incoming, message)))
    }
  }
  // Other calls may have filled the queue meanwhile.
  if (large && !hasRoom()) return null
  const span = context.tracing && startCommit(context.tracing, valid)
  await new Promise<void>((resolve) => {
    let left = valid.length
    if (left === 0) resolve()
    for (const { message, index } of valid) {
      queue.push(message, (outcome) => {
        results[index] = outcome
        left -= 1
        if (left === 0) resolve()
      })
    }
  })
  span?.end({ 'landbridge.messages': valid.length })
  const updates = valid.filter(({ message, index }) => message.firmware_version && results[index]!.status === 200)
  await Promise.all([
    ...refusals,
    ...updates.map(({ message, index }) => setLater(index, recordFirmware(context, message, results[index]!))),
  ])
  return results
}

/** One right key is enough: its owner could send it with every message of the call. The others are checked as they are stored. */
async function beginsWithRightKey(context: Context, messages: (IncomingMessage | Detail[])[]): Promise<boolean> {
  const [first] = messages
  if (first === undefined || Array.isArray(first)) return false
  return (await authenticateDevice(context, first)).status === 200
}

/** Each credential is checked once; undefined for an entry that names no device. */
async function verdictsOn(
  context: Context,
  messages: (IncomingMessage | Detail[])[],
): Promise<(Outcome | undefined)[]> {
  const verdicts = new Map<string, Promise<Outcome>>()
  const found = messages.map((message) => {
    if (Array.isArray(message)) return undefined
    const credential = `${message.device_id} ${message.key_digest}`
    const verdict = verdicts.get(credential) ?? authenticateDevice(context, message)
    verdicts.set(credential, verdict)
    return verdict
  })
  return await Promise.all(found)
}

/** Otherwise none is stored, so that their order stays. */
function everyKeyHasRoom(queue: TelemetryPipeline['queue'], messages: (IncomingMessage | Detail[])[]): boolean {
  const counts = new Map<string, number>()
  return messages.every((message) => {
    if (Array.isArray(message)) return true
    const count = (counts.get(message.key_digest) ?? 0) + 1
    counts.set(message.key_digest, count)
    return queue.hasRoom(count, message.key_digest)
  })
}

function readMessage(
  { device_id, key_digest, body }: IncomingMessage,
  arrivedAt: number,
  envelope?: ReadonlySet<string>,
): Message | Detail[] {
  const telemetry = readTelemetry(body, arrivedAt, envelope)
  if (Array.isArray(telemetry)) return telemetry
  return {
    device_id: device_id.toLowerCase(),
    key_digest,
    arrived_at: arrivedAt,
    in_call: envelope !== undefined,
    ...telemetry,
  }
}

/** Only an authenticated device learns what is wrong with its message. */
async function refuse(context: Context, incoming: IncomingMessage, details: Detail[]): Promise<Outcome> {
  const outcome = await authenticateDevice(context, incoming)
  return outcome.status === 200 ? invalidMessage(details) : outcome
}

/** The first success also counts as the key's first use: from then on the device cannot simply register again. */
export async function authenticateDevice(context: Context, { device_id, key_digest }: Credential): Promise<Outcome> {
  if (!isId(device_id)) return outcomes.wrongKey
  if (context.clock.problem()) return outcomes.overloaded
  try {
    return await context.telemetry.authenticate({ device_id: device_id.toLowerCase(), key_digest })
  } catch (error) {
    context.log.error({ err: error }, 'device not authenticated')
    return outcomes.overloaded
  }
}

/** Checked before a body is read, so that a request that would be refused costs no memory. */
export function whyUnavailable(context: Context): Unavailable | null {
  if (context.disk.isFull()) return outcomes.storageFull
  return context.telemetry.queue.hasRoom(1) ? null : outcomes.overloaded
}
