import type { CallerPermissions, RefusalCode } from './generated-types.ts'

/** The errors of the OAuth endpoints (contract 7.2 to 7.5) and those of `prompt=none`. */
export const oauthCodes = [
  'access_denied',
  'consent_required',
  'insufficient_scope',
  'interaction_required',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'invalid_token',
  'login_required',
  'server_error',
  'unsupported_grant_type',
  'unsupported_response_type',
] as const

/** What the kit itself finds. */
type OwnCode =
  | 'browser'
  | 'busy'
  | 'closed'
  | 'command_rejected'
  | 'delivery_too_old'
  | 'id_token_mismatch'
  | 'invalid_id'
  | 'invalid_key'
  | 'invalid_secret'
  | 'issuer_mismatch'
  | 'move_refused'
  | 'moved_in_circles'
  | 'mqtt_error'
  | 'mqtt_missing'
  | 'network_error'
  | 'no_etag'
  | 'not_authorized'
  | 'not_connected'
  | 'signature_mismatch'
  | 'signature_missing'
  | 'state_mismatch'
  | 'stopped'
  | 'subscription_refused'
  | 'timeout'
  | 'unexpected'

/** Every code that an error of the kit has; a later version of the service may send one more. */
export type ErrorCode = RefusalCode | (typeof oauthCodes)[number] | OwnCode | `mqtt_${number}`

interface ErrorDetails {
  status?: number | null | undefined
  details?: { field: string; message: string }[]
  requestId?: string | null
  retryAfterSeconds?: number | null
  cause?: unknown
}

/** What a class is called in every copy of the kit: its ES modules and its CommonJS are two. */
const kind = Symbol.for('@landbridge/client kind')

/** What went wrong, by `code`; `status` is the HTTP status where there was one, `cause` what led to it. */
export class LandbridgeError extends Error {
  static readonly [kind]: string = 'LandbridgeError'
  override readonly name: string = 'LandbridgeError'
  readonly code: ErrorCode
  readonly status: number | null
  readonly details: { field: string; message: string }[]
  /** The service's name for the request: look it up in the integration log. */
  readonly requestId: string | null
  /** With 429 and 503: when to try again, where the service said so. */
  readonly retryAfterSeconds: number | null

  constructor(code: ErrorCode, message: string, more: ErrorDetails = {}) {
    const { status, details, requestId, retryAfterSeconds, cause } = more
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    this.status = status ?? null
    this.details = details ?? []
    this.requestId = requestId ?? null
    this.retryAfterSeconds = retryAfterSeconds ?? null
  }
}

/** An error that another copy of the kit threw is an instance as well. */
Object.defineProperty(LandbridgeError, Symbol.hasInstance, {
  value(this: { [kind]?: string }, error: unknown): boolean {
    // A class of yours that extends one of these has no kind of its own.
    if (!Object.hasOwn(this, kind)) return Function.prototype[Symbol.hasInstance].call(this, error)
    for (let type = (error as object | null)?.constructor; type; type = Object.getPrototypeOf(type)) {
      if (Object.hasOwn(type, kind) && (type as { [kind]?: string })[kind] === this[kind]) return true
    }
    return false
  },
})

/** No response came: the service cannot be reached (`network_error`), or did not respond in time (`timeout`). */
export class NetworkError extends LandbridgeError {
  static override readonly [kind] = 'NetworkError'
  override readonly name = 'NetworkError'
}

/** The person declined. Tell them what the connection is for and let them try again; do not retry automatically. */
export class AccessDenied extends LandbridgeError {
  static override readonly [kind] = 'AccessDenied'
  override readonly name = 'AccessDenied'
  constructor() {
    super('access_denied', 'The person declined.')
  }
}

/** The callback does not belong to a request of this application. Ignore its code and its error. */
export class CallbackDiscarded extends LandbridgeError {
  static override readonly [kind] = 'CallbackDiscarded'
  override readonly name = 'CallbackDiscarded'
}

/** The tokens are no longer valid and were deleted. The customer has to connect again. */
export class ReconnectRequired extends LandbridgeError {
  static override readonly [kind] = 'ReconnectRequired'
  override readonly name = 'ReconnectRequired'
}

/** A step of one area, such as `devices: manage`. */
export type Permission = {
  [Area in keyof CallerPermissions]: `${Area}: ${Exclude<CallerPermissions[Area], 'none'>}`
}[keyof CallerPermissions]

/** The customer's administrators did not approve the application for this. Go on without it, or ask them: do not retry. */
export class NotApproved extends LandbridgeError {
  static override readonly [kind] = 'NotApproved'
  override readonly name = 'NotApproved'
  /** What they would have to approve; a later version of the service may name one more. */
  readonly missing: Permission
  constructor(message: string, missing: Permission, more: ErrorDetails = {}) {
    super('not_approved', message, more)
    this.missing = missing
  }
}

/** The device was removed by its customer or its partner. Stop sending; register it again should it come back. */
export class DeviceRemoved extends LandbridgeError {
  static override readonly [kind] = 'DeviceRemoved'
  override readonly name = 'DeviceRemoved'
}

/** The delivery is not signed by the service, or too old. */
export class WebhookRefused extends LandbridgeError {
  static override readonly [kind] = 'WebhookRefused'
  override readonly name = 'WebhookRefused'
}

/** Throw it in the handler of a command that the device will not execute: it is reported as `rejected`, with this message. */
export class CommandRejected extends LandbridgeError {
  static override readonly [kind] = 'CommandRejected'
  override readonly name = 'CommandRejected'
  constructor(message: string) {
    super('command_rejected', message)
  }
}
