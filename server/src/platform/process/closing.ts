import type { Logger } from 'pino'

/** Closes what was opened, in reverse order: requests before jobs, jobs before the pool, the pool before Postgres. */
export class Closing {
  readonly #log: Logger
  readonly #steps: { what: string; close: () => unknown; seconds: number }[] = []
  #closed: Promise<void> | undefined

  constructor(log: Logger) {
    this.#log = log
  }

  /** A step that takes longer than its seconds is abandoned, so that a stop is bounded. */
  add(what: string, close: () => unknown, { seconds }: { seconds: number }): void {
    this.#steps.push({ what, close, seconds })
    this.requireOpen()
  }

  get begun(): boolean {
    return this.#closed !== undefined
  }

  /** Throws after `close`: a start that is asked to stop goes no further, and closes what it has opened meanwhile. */
  requireOpen(): void {
    if (this.begun) throw new Error('The process is stopping.')
  }

  /** Each step once, however often it is called: Ctrl-C under npm arrives twice. */
  close(): Promise<void> {
    this.#closed = this.#closed ? this.#closed.then(() => this.#closeAll()) : this.#closeAll()
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

/**
 * `kill` of an `npm start` reaches npm and its shell, and some shells end without passing it on. A process that npm
 * started and that has lost its parent was meant to stop.
 */
export function watchParent(onGone: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onGone()
  }, 250)
  timer.unref()
}
