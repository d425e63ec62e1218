import { mqttLimits } from '../../platform/own-limits.ts'

const { messagesPerSecond, messagesAtOnce, otherPacketsPerSecond, otherPacketsAtOnce, countedBytes } = mqttLimits

/** What one connection may send: beyond it nothing is read, so that no device takes the time of all others. */
export class PacketBudget {
  readonly #messages = new Allowance(messagesPerSecond, messagesAtOnce)
  readonly #others = new Allowance(otherPacketsPerSecond, otherPacketsAtOnce)

  isLeft(): boolean {
    return this.#messages.isLeft() && this.#others.isLeft()
  }

  takeMessage(bytes: number): void {
    this.#messages.take(costOf(bytes))
  }

  /** Any other packet, and a message that is refused: neither waits for a commit. */
  takeOther(bytes: number): void {
    this.#others.take(costOf(bytes))
  }
}

/** A large packet takes as long to read as several small ones. */
function costOf(bytes: number): number {
  return 1 + Math.floor(bytes / countedBytes)
}

/** Asks for the time only when it is used up, since a packet is read within microseconds. */
class Allowance {
  readonly #perSecond: number
  readonly #atOnce: number
  #left: number
  #filledAt = performance.now()

  constructor(perSecond: number, atOnce: number) {
    this.#perSecond = perSecond
    this.#atOnce = atOnce
    this.#left = atOnce
  }

  isLeft(): boolean {
    if (this.#left > 0) return true
    const now = performance.now()
    const more = Math.floor(((now - this.#filledAt) / 1000) * this.#perSecond)
    if (more > 0) {
      this.#left = Math.min(this.#atOnce, this.#left + more)
      this.#filledAt = now
    }
    return this.#left > 0
  }

  take(cost: number): void {
    this.#left -= cost
  }
}
