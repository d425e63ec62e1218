export interface WindowLength {
  warmUpSeconds: number
  seconds: number
}

export interface WindowReport {
  /** Per second, of what completed within the window. */
  rate: number
  /** Milliseconds. */
  p50: number
  p99: number
}

/** Ends the generator when a caller never gets its response: the turn would last for ever. */
export async function requireEnd(turn: Promise<unknown>): Promise<void> {
  const timer = setTimeout(() => {
    throw new Error('a request had no response for minutes')
  }, 300_000)
  await turn
  clearTimeout(timer)
}

/**
 * The part of a turn that counts. It begins when every caller has had its first response, and all that completes within
 * it counts, whenever it was sent; callers go on until it is over, so that the load is as high at its end as in its
 * middle. It lasts several times as long as the slowest first response: with many callers and a slow server they come in
 * groups, and a shorter window would count a group too many or too few.
 */
export class Window {
  readonly #startedAt: number
  readonly #length: WindowLength
  #waiting: number
  #from = Number.POSITIVE_INFINITY
  #until = Number.POSITIVE_INFINITY
  readonly #times: number[] = []

  constructor(callers: number, length: WindowLength, startedAt = performance.now()) {
    this.#startedAt = startedAt
    this.#waiting = callers
    this.#length = length
  }

  /** A caller had its first response in this turn. */
  begun(now: number): void {
    this.#waiting -= 1
    if (this.#waiting > 0) return
    const { warmUpSeconds, seconds } = this.#length
    this.#from = Math.max(now, this.#startedAt + warmUpSeconds * 1000)
    this.#until = this.#from + Math.min(Math.max(seconds * 1000, 4 * (now - this.#startedAt)), 10 * seconds * 1000)
  }

  count(now: number, took: number): void {
    if (now >= this.#from && now <= this.#until) this.#times.push(took)
  }

  /** There is nothing left to send: the window ends while the load is still high. */
  end(now: number): void {
    if (now <= this.#from) throw new Error('too few requests to begin with')
    this.#until = Math.min(this.#until, now)
  }

  isOver(now: number): boolean {
    return now >= this.#until
  }

  report(): WindowReport {
    const times = this.#times.toSorted((a, b) => a - b)
    const quantile = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN
    const seconds = (this.#until - this.#from) / 1000
    return { rate: times.length / seconds, p50: quantile(0.5), p99: quantile(0.99) }
  }
}
