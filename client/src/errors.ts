/** What went wrong, by `code`; `status` is the HTTP status where there was one. */
export class LandbridgeError extends Error {
  override readonly name: string = 'LandbridgeError'
  readonly code: string
  readonly status: number | null
  readonly details: { field: string; message: string }[]
  /** The service's name for the request: look it up in the integration log. */
  readonly requestId: string | null

  constructor(
    code: string,
    message: string,
    more: Partial<Pick<LandbridgeError, 'status' | 'details' | 'requestId'>> = {},
  ) {
    super(message)
    this.code = code
    this.status = more.status ?? null
    this.details = more.details ?? []
    this.requestId = more.requestId ?? null
  }
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

export async function errorOf(response: Response): Promise<LandbridgeError> {
  const text = await response.text()
  let body: Record<string, unknown> = {}
  try {
    body = JSON.parse(text)
  } catch {
    // A proxy's page, or nothing.
  }
  const code = String(body.code ?? body.error ?? 'unexpected')
  const message = String(body.error_description ?? body.error ?? `The service responded with ${response.status}.`)
  return new LandbridgeError(code, message, {
    status: response.status,
    details: (body.details as LandbridgeError['details'] | undefined) ?? [],
    requestId: response.headers.get('x-request-id'),
  })
}
