/** What is under way: one line that changes on a terminal, otherwise a plain line now and then. */
export class Progress {
  readonly #stream: NodeJS.WriteStream
  readonly #plainEveryMs: number
  #lastPlain = 0
  #isOpen = false

  constructor(stream: NodeJS.WriteStream = process.stderr, plainEveryMs = 5_000) {
    this.#stream = stream
    this.#plainEveryMs = plainEveryMs
  }

  update(text: string): void {
    if (this.#stream.isTTY) {
      // A line that wraps could not be replaced.
      this.#stream.write(`\r${text.slice(0, (this.#stream.columns || 80) - 1)}\x1b[K`)
      this.#isOpen = true
    } else if (Date.now() - this.#lastPlain >= this.#plainEveryMs) {
      this.#lastPlain = Date.now()
      this.#stream.write(`${text}\n`)
    }
  }

  /** A line that stays. */
  line(text: string): void {
    this.#stream.write(this.#isOpen ? `\r${text}\x1b[K\n` : `${text}\n`)
    this.#isOpen = false
  }
}

export function count(number: number): string {
  return Math.round(number).toLocaleString('en')
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`
}

export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const rest = String(seconds % 60).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`
}

/** Per second, over the last few seconds. */
export class Rate {
  readonly #marks: [at: number, total: number][] = []

  of(total: number): number {
    const now = performance.now()
    this.#marks.push([now, total])
    while (this.#marks.length > 1 && now - this.#marks[0]![0] > 5_000) this.#marks.shift()
    const [at, earlier] = this.#marks[0]!
    return now > at ? ((total - earlier) * 1000) / (now - at) : 0
  }
}
