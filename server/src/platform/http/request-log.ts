import type { FastifyBaseLogger } from 'fastify'

/**
 * A request's log, made when something is written to it: binding the request's id costs as much as parsing a small
 * body, and most requests have nothing to say.
 */
export function requestLog(log: FastifyBaseLogger, bindings: Record<string, unknown>): FastifyBaseLogger {
  return new RequestLog(log, bindings) as unknown as FastifyBaseLogger
}

class RequestLog {
  readonly #log: FastifyBaseLogger
  readonly #bindings: Record<string, unknown>
  #bound: FastifyBaseLogger | undefined

  constructor(log: FastifyBaseLogger, bindings: Record<string, unknown>) {
    this.#log = log
    this.#bindings = bindings
  }

  get #own(): FastifyBaseLogger {
    this.#bound ??= this.#log.child(this.#bindings)
    return this.#bound
  }

  get level(): string {
    return this.#log.level
  }

  isLevelEnabled(level: string): boolean {
    return (this.#log as unknown as { isLevelEnabled(level: string): boolean }).isLevelEnabled(level)
  }

  child(...values: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#own.child(...values)
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
