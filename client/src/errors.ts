interface ErrorDetails {
  status?: number | null | undefined
  details?: { field: string; message: string }[]
  requestId?: string | null
  cause?: unknown
}

/** What went wrong, by `code`; `status` is the HTTP status where there was one, `cause` what led to it. */
export class LandbridgeError extends Error {
  override readonly name: string = 'LandbridgeError'
  readonly code: string
  readonly status: number | null
  readonly details: { field: string; message: string }[]
  /** The service's name for the request: look it up in the integration log. */
  readonly requestId: string | null

  constructor(code: string, message: string, { status, details, requestId, cause }: ErrorDetails = {}) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    this.status = status ?? null
    this.details = details ?? []
    this.requestId = requestId ?? null
  }
}

/** No response came: the service cannot be reached (`network_error`), or did not respond in time (`timeout`). */
export class NetworkError extends LandbridgeError {
  override readonly name = 'NetworkError'
}

/** The person declined. Tell them what the connection is for and let them try again; do not retry automatically. */
export class AccessDenied extends LandbridgeError {
  override readonly name = 'AccessDenied'
  constructor() {
    super('access_denied', 'The person declined.')
  }
}

/** The callback does not belong to a request of this application. Ignore its code and its error. */
export class CallbackDiscarded extends LandbridgeError {
  override readonly name = 'CallbackDiscarded'
}

/** The tokens are no longer valid and were deleted. The customer has to connect again. */
export class ReconnectRequired extends LandbridgeError {
  override readonly name = 'ReconnectRequired'
}

/** The device was removed by its customer or its partner. Stop sending; register it again should it come back. */
export class DeviceRemoved extends LandbridgeError {
  override readonly name = 'DeviceRemoved'
}
