import type { Logger } from 'pino'

/** What was opened, closed again in reverse: requests before jobs, jobs before the pool, the pool before Postgres. */
export class Closing {
  readonly #log: Logger
  readonly #steps: { what: string; close: () => unknown; seconds: number }[] = []
  #closed: Promise<void> | undefined

  constructor(log: Logger) {
    this.#log = log
  }

  /** A step that takes longer than its seconds is left behind: a stop is bounded, whatever hangs. */
  add(what: string, close: () => unknown, { seconds }: { seconds: number }): void {
    this.#steps.push({ what, close, seconds })
  }

  /** Once, however often it is asked for: Ctrl-C under npm arrives twice. */
  close(): Promise<void> {
    this.#closed ??= this.#closeAll()
    return this.#closed
  }

  async #closeAll(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      const { what, close, seconds } = step
      try {
        if ((await Promise.race([close(), elapsed(seconds)])) === late) {
          this.#log.warn({ what, seconds }, 'did not close in time')
        }
      } catch (error) {
        this.#log.error({ err: error, what }, 'did not close')
      }
    }
  }
}

const late = Symbol('late')

function elapsed(seconds: number): Promise<typeof late> {
  return new Promise((resolve) => setTimeout(() => resolve(late), seconds * 1000).unref())
}
