import type { FastifyBaseLogger } from 'fastify'
import type { Logger } from 'pino'

/**
 * A log whose children are made when something is written to them: binding the request's id costs as much as parsing a
 * small body, and most requests have nothing to say. (Fastify's own way, a `childLoggerFactory`, examines each child.)
 */
export function lazyLog(log: Logger): FastifyBaseLogger {
  return new LazyLog(log, () => log) as unknown as FastifyBaseLogger
}

class LazyLog {
  readonly #root: Logger
  readonly #make: () => Logger
  #made: Logger | undefined

  constructor(root: Logger, make: () => Logger) {
    this.#root = root
    this.#make = make
  }

  get #own(): Logger {
    this.#made ??= this.#make()
    return this.#made
  }

  get level(): string {
    return this.#root.level
  }

  isLevelEnabled(level: string): boolean {
    return this.#root.isLevelEnabled(level)
  }

  child(bindings: Record<string, unknown>): LazyLog {
    return new LazyLog(this.#root, () => this.#own.child(bindings))
  }

  #write(level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace', values: unknown[]): void {
    if (this.isLevelEnabled(level)) (this.#own[level] as (...values: unknown[]) => void)(...values)
  }

  fatal(...values: unknown[]): void {
    this.#write('fatal', values)
  }

  error(...values: unknown[]): void {
    this.#write('error', values)
  }

  warn(...values: unknown[]): void {
    this.#write('warn', values)
  }

  info(...values: unknown[]): void {
    this.#write('info', values)
  }

  debug(...values: unknown[]): void {
    this.#write('debug', values)
  }

  trace(...values: unknown[]): void {
    this.#write('trace', values)
  }

  silent(): void {}
}
