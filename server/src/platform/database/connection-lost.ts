/** Postgres cannot be reached, or did not respond in time. `code` is the system's where there is one. */
export class ConnectionLost extends Error {
  readonly code: string
  /** The statement had been sent, so Postgres may have committed it. */
  readonly sent: boolean
  constructor(message: string, options: { code?: string; cause?: unknown; sent?: boolean } = {}) {
    super(message, { cause: options.cause })
    this.name = 'ConnectionLost'
    this.code = options.code ?? 'CONNECTION_LOST'
    this.sent = options.sent ?? false
  }

  /** The same loss, for one of those whom it concerns. */
  as({ sent }: { sent: boolean }): ConnectionLost {
    return this.sent === sent ? this : new ConnectionLost(this.message, { code: this.code, cause: this.cause, sent })
  }
}

/** Of a statement whose loss leaves nothing behind: one that sets a connection up, or one before a commit. */
export function notCommitted(error: unknown): unknown {
  return error instanceof ConnectionLost ? error.as({ sent: false }) : error
}
