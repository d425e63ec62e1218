import { messageLimits, requestLimits } from '../../platform/own-limits.ts'
import { type Detail, shortened } from '../../platform/refusal.ts'
import { firmwareVersionIs, isFirmwareVersion } from './telemetry-schemas.ts'
import { replacing } from './whole-state.ts'

export type DeviceStatus = 'online' | 'offline' | 'error'

/** A valid message: the body of contract 2.6, ready to be stored. Times are in milliseconds. */
export interface Telemetry {
  status: DeviceStatus
  /** The flat object as text: it is stored as it is, and Postgres parses it at most once. */
  telemetries: string
  /** A digest of its set of keys, of which of them are removed, and of whether it replaces the whole state. */
  keys: number
  key_count: number
  timestamp: number
  /** Empty where only timestamp and body tell a repeat; null where nothing does. */
  message_id: string | null
  /** Null when the message does not report it. */
  firmware_version: string | null
}

/** Either the message or everything that is wrong with it. `envelope` names fields beside the message. */
export function readTelemetry(
  body: unknown,
  arrivedAt: number,
  envelope: ReadonlySet<string> = none,
): Telemetry | Detail[] {
  const problems: Detail[] = []
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return [{ field: 'body', message: 'must be an object with status and telemetries' }]
  }
  const { status, telemetries, override, timestamp, message_id, firmware_version } = body as Record<string, unknown>
  for (const field in body) {
    if (known.has(field) || envelope.has(field)) continue
    problems.push({ field: shortened(field), message: 'is not a known field' })
    if (problems.length === requestLimits.namedProblems) return problems
  }
  if (status !== 'online' && status !== 'offline' && status !== 'error') {
    problems.push({ field: 'status', message: 'must be one of online, offline, error' })
  }
  const at = readTimestamp(timestamp, arrivedAt, problems)
  const id = readMessageId(message_id, timestamp, problems)
  if (firmware_version !== undefined && !isFirmwareVersion(firmware_version)) {
    problems.push({ field: 'firmware_version', message: `must be ${firmwareVersionIs}` })
  }
  if (override !== undefined && typeof override !== 'boolean') {
    problems.push({ field: 'override', message: 'must be true or false' })
  }
  const { keys, key_count } = readTelemetries(telemetries, override === true, problems)
  if (problems.length > 0) return problems
  const sent = JSON.stringify(telemetries)
  const text = override === true ? replacing(sent) : sent
  // The body of a mass call may be larger than one message.
  if (text.length > messageLimits.bytes / 3 && Buffer.byteLength(text) > messageLimits.bytes) {
    return [{ field: 'telemetries', message: 'must be at most 128 KiB of JSON' }]
  }
  const firmware = (firmware_version as string | undefined) ?? null
  return {
    status: status as DeviceStatus,
    telemetries: text,
    keys,
    key_count,
    timestamp: at,
    message_id: id,
    firmware_version: firmware,
  }
}

const known = new Set(['status', 'telemetries', 'override', 'timestamp', 'message_id', 'firmware_version'])
const none: ReadonlySet<string> = new Set()

const noKeys = { keys: 0, key_count: 0 }

function readTelemetries(
  telemetries: unknown,
  replaces: boolean,
  problems: Detail[],
): Pick<Telemetry, 'keys' | 'key_count'> {
  if (typeof telemetries !== 'object' || telemetries === null || Array.isArray(telemetries)) {
    problems.push({ field: 'telemetries', message: 'must be an object of data points' })
    return noKeys
  }
  const keys = Object.keys(telemetries)
  if (keys.length > messageLimits.keys) {
    problems.push({ field: 'telemetries', message: `must have at most ${messageLimits.keys} keys` })
    return noKeys
  }
  let low = replaces ? 0x2545f491 : 0xdeadbeef
  let high = 0x41c6ce57
  for (const key of keys) {
    let isOneLine = true
    // Two halves of 32 bits, mixed per character and once more at the end of each key: 53 bits, ample for the few sets of
    // keys of one device, and a device that forges a collision loses only its own data points.
    for (let index = 0; index < key.length; index += 1) {
      const code = key.charCodeAt(index)
      if (code < 0x20 || (code > 0x7e && (code < 0xa0 || code === 0x2028 || code === 0x2029))) isOneLine = false
      low = Math.imul(low ^ code, 2_654_435_761)
      high = Math.imul(high ^ code, 1_597_334_677)
    }
    low = Math.imul(low ^ (low >>> 16) ^ 0x1ff, 2_246_822_507)
    high = Math.imul(high ^ (high >>> 13) ^ 0x2ff, 3_266_489_909)
    const value = (telemetries as Record<string, unknown>)[key]
    // A removed data point needs no room, so its message must not pass for one that has a value.
    if (value === null) low ^= 0x5bd1e995
    const problem = problemOfKey(key, isOneLine) ?? problemOfValue(value)
    if (problem !== undefined && problems.length < requestLimits.namedProblems) {
      problems.push({ field: `telemetries.${shortened(key)}`, message: problem })
    }
  }
  return { keys: (high >>> 11) * 4_294_967_296 + (low >>> 0), key_count: keys.length }
}

function problemOfKey(key: string, isOneLine: boolean): string | undefined {
  if (key.length === 0) return 'must have a name of 1 to 128 characters'
  // Characters, not UTF-16 units; a name of no more units has no more characters.
  if (key.length > messageLimits.keyCharacters && [...key].length > messageLimits.keyCharacters) {
    return 'must have a name of 1 to 128 characters'
  }
  if (!isOneLine) return 'must have a name without control characters or line separators'
  return key.isWellFormed() ? undefined : 'must have a name without lone surrogates'
}

function problemOfValue(value: unknown): string | undefined {
  switch (typeof value) {
    case 'boolean':
      return undefined
    case 'number':
      // JSON.parse reads 1e400 as Infinity.
      return Number.isFinite(value) ? undefined : 'must be a finite number'
    case 'string':
      if (value.length > messageLimits.stringBytes / 3 && Buffer.byteLength(value) > messageLimits.stringBytes) {
        return 'must be at most 1,024 bytes of text'
      }
      return problemOfText(value)
    default:
      return value === null ? undefined : 'must be a number, a string, a boolean, or null to remove it'
  }
}

/** Postgres cannot store U+0000, and half a surrogate pair is no character in any encoding. */
function problemOfText(text: string): string | undefined {
  if (text.includes('\0')) return 'must be text without U+0000'
  if (!text.isWellFormed()) return 'must be text without lone surrogates'
  return undefined
}

// RFC 3339 with its required offset; Date.parse accepts much more.
const instant = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

function readTimestamp(timestamp: unknown, arrivedAt: number, problems: Detail[]): number {
  if (timestamp === undefined) return arrivedAt
  const parts = typeof timestamp === 'string' && timestamp.length <= 64 ? instant.exec(timestamp) : null
  const at = parts ? parseInstant(parts) : Number.NaN
  if (Number.isNaN(at)) {
    problems.push({ field: 'timestamp', message: 'must be an RFC 3339 instant, such as 2026-03-01T12:00:00Z' })
  } else if (at < arrivedAt - messageLimits.oldestMilliseconds || at > arrivedAt + messageLimits.aheadMilliseconds) {
    problems.push({ field: 'timestamp', message: 'must be between 7 days ago and 10 minutes ahead' })
  }
  return at
}

function parseInstant([, date, time, fraction = '', offset]: RegExpExecArray): number {
  // POSIX time has no leap seconds: it counts as the second before.
  const clock = time!.endsWith(':60') ? `${time!.slice(0, -2)}59` : time
  const at = Date.parse(`${date}T${clock}${fraction.slice(0, 4)}${offset!.toUpperCase()}`)
  // Date.parse rolls 30 February over into March.
  const day = Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date ? Number.NaN : at
}

function readMessageId(messageId: unknown, timestamp: unknown, problems: Detail[]): string | null {
  if (messageId === undefined) return timestamp === undefined ? null : ''
  const message = typeof messageId !== 'string' ? 'must be text' : problemOfMessageId(messageId)
  if (message !== undefined) problems.push({ field: 'message_id', message })
  else if (timestamp === undefined) {
    problems.push({ field: 'timestamp', message: 'is required with message_id, to recognize a repeat' })
  }
  return messageId as string
}

function problemOfMessageId(messageId: string): string | undefined {
  if (messageId.length === 0 || [...messageId].length > messageLimits.messageIdCharacters) {
    return 'must have 1 to 64 characters'
  }
  return problemOfText(messageId)
}
