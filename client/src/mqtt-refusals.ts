import { DeviceRemoved, type ErrorCode, LandbridgeError, NetworkError } from './errors.ts'

/** What is used of a CONNACK, a PUBACK and a DISCONNECT. */
export interface Packet {
  cmd: string
  reasonCode?: number
  properties?: { serverReference?: string; reasonString?: string }
}

/** MQTT 5, 2.4. */
const notAuthorized = 0x87
const shuttingDown = 0x8b
const administrativeAction = 0x98

/** What the service calls the same refusal over HTTP. */
const codes: Record<number, ErrorCode> = {
  128: 'unknown_outcome',
  134: 'invalid_access_key',
  136: 'overloaded',
  137: 'overloaded',
  149: 'too_large',
  153: 'invalid',
}

/** A refused connection or message; by a word where there is one, otherwise `mqtt_` and the reason code. */
export function refusalOf(cause: Error & { code?: number | string }, packet?: Packet): LandbridgeError {
  const { code } = cause
  if (typeof code !== 'number') return new LandbridgeError('mqtt_error', cause.message, { cause })
  const message = packet?.properties?.reasonString ?? cause.message
  // The kit sends no will and publishes to the device's own topic only, so a removal is all that this can mean.
  if (code === notAuthorized) return removed(message, cause)
  return new LandbridgeError(codes[code] ?? `mqtt_${code}`, message, { cause, details: detailsIn(code, message) })
}

/** Why the service ended the connection; null for anything but its DISCONNECT. */
export function endOf({ cmd, reasonCode = 0, properties }: Packet): LandbridgeError | null {
  if (cmd !== 'disconnect' || reasonCode < 0x80) return null
  const message = properties?.reasonString ?? `The service ended the connection with reason ${reasonCode}.`
  if (reasonCode === administrativeAction) return removed(message)
  if (reasonCode === shuttingDown) return new NetworkError('network_error', message)
  // While connected, this is told when the device registered again: it has another key now.
  const code = reasonCode === notAuthorized ? 'invalid_access_key' : (codes[reasonCode] ?? `mqtt_${reasonCode}`)
  return new LandbridgeError(code, message, { details: detailsIn(reasonCode, message) })
}

const implementationSpecific = 0x83

/** A report that is refused: unknown (0x87), in conflict with what is there (0x83), or wrong (0x99); with the status of HTTP. */
export function reportRefusalOf(error: unknown, conflict: ErrorCode): unknown {
  if (!(error instanceof LandbridgeError)) return error
  const { message, details } = error
  const { code } = (error.cause ?? {}) as { code?: unknown }
  if (code === notAuthorized) return new LandbridgeError('not_found', message, { status: 404, cause: error })
  if (code === implementationSpecific) return new LandbridgeError(conflict, message, { status: 409, cause: error })
  if (error.code === 'invalid') return new LandbridgeError('invalid', message, { status: 422, details, cause: error })
  return error
}

function removed(message: string, cause?: Error): DeviceRemoved {
  return new DeviceRemoved('device_removed', message, { cause })
}

/** A reason string has the details of HTTP in one sentence: `telemetries.a must be …; status must be ….` */
function detailsIn(reasonCode: number, reason: string): LandbridgeError['details'] {
  if (codes[reasonCode] !== 'invalid') return []
  return reason
    .replace(/\.$/, '')
    .split('; ')
    .flatMap((problem) => {
      const [, field, message] = /^(\S.*?) ((?:must|is) .*)$/.exec(problem) ?? []
      return field && message ? [{ field, message }] : []
    })
}

/** What an HTTP call would have returned for the message. */
export function statusOf({ code }: LandbridgeError): 401 | 410 | 413 | 421 | 422 | 503 {
  switch (code) {
    case 'invalid_access_key':
      return 401
    case 'device_removed':
      return 410
    case 'too_large':
      return 413
    case 'move_refused':
    case 'moved_in_circles':
      return 421
    case 'invalid':
      return 422
    default:
      return 503
  }
}
