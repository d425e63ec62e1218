import type { FastifyBaseLogger } from 'fastify'
import type { Logger } from 'pino'

type Bindings = Record<string, unknown>

/** Plain fields, since one is created per request and `#` fields are slow to set up. */
class LazyLog {
  readonly root: Logger
  private readonly parent: LazyLog | null
  private readonly bindings: Bindings
  private created: Logger | null = null

  constructor(root: Logger, parent: LazyLog | null, bindings: Bindings) {
    this.root = root
    this.parent = parent
    this.bindings = bindings
  }

  own(): Logger {
    this.created ??= this.parent ? this.parent.own().child(this.bindings) : this.root
    return this.created
  }

  get level(): string {
    return this.root.level
  }

  child(bindings: Bindings): LazyLog {
    return new LazyLog(this.root, this, bindings)
  }

  silent(): void {}
}

for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const) {
  Object.defineProperty(LazyLog.prototype, level, {
    value(this: LazyLog, ...values: Parameters<Logger['info']>) {
      if (this.root.isLevelEnabled(level)) this.own()[level](...values)
    },
  })
}

/**
 * A log that creates its children when something is written to them, since most requests write nothing: 20 ns per
 * request instead of the 6 µs of pino's own child (`npm run bench:hand-written`).
 */
export function requestLog(log: Logger): FastifyBaseLogger {
  return new LazyLog(log, null, {}) as unknown as FastifyBaseLogger
}
