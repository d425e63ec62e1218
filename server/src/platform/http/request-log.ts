import type { FastifyBaseLogger } from 'fastify'
import type { Logger } from 'pino'

/**
 * A log whose children are made when something is written to them: binding the request's id costs as much as parsing a
 * small body, and most requests have nothing to say. (Fastify's own way, a `childLoggerFactory`, examines each child.)
 */
export function requestLog(log: Logger): FastifyBaseLogger {
  return new LazyLog(log, null, {}) as unknown as FastifyBaseLogger
}

type Bindings = Record<string, unknown>

/** One is made for every request: plain fields, since those with a `#` take microseconds to set up. */
class LazyLog {
  private readonly root: Logger
  private readonly parent: LazyLog | null
  private readonly bindings: Bindings
  private made: Logger | null = null

  constructor(root: Logger, parent: LazyLog | null, bindings: Bindings) {
    this.root = root
    this.parent = parent
    this.bindings = bindings
  }

  private own(): Logger {
    this.made ??= this.parent ? this.parent.own().child(this.bindings) : this.root
    return this.made
  }

  get level(): string {
    return this.root.level
  }

  isLevelEnabled(level: string): boolean {
    return this.root.isLevelEnabled(level)
  }

  child(bindings: Bindings): LazyLog {
    return new LazyLog(this.root, this, bindings)
  }

  private write(level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace', values: unknown[]): void {
    if (this.isLevelEnabled(level)) (this.own()[level] as (...values: unknown[]) => void)(...values)
  }

  fatal(...values: unknown[]): void {
    this.write('fatal', values)
  }

  error(...values: unknown[]): void {
    this.write('error', values)
  }

  warn(...values: unknown[]): void {
    this.write('warn', values)
  }

  info(...values: unknown[]): void {
    this.write('info', values)
  }

  debug(...values: unknown[]): void {
    this.write('debug', values)
  }

  trace(...values: unknown[]): void {
    this.write('trace', values)
  }

  silent(): void {}
}
