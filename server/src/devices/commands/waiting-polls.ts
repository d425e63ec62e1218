import { setTimeout as sleep } from 'node:timers/promises'

/** Why a poll no longer waits. */
export type PollEnd = 'woken' | 'over' | 'replaced' | 'gone'

/** How exactly a wait ends: all that end within the same fraction of a second share a timer. */
const stepMilliseconds = 250
const longestGathering = 1_000

interface Waiting {
  key: string
  slot: number
  end: (how: PollEnd) => void
}

/** A poll from its arrival on: what happens while it is authenticated is not missed. */
export interface WaitingPoll {
  ended: Promise<PollEnd>
  /** Ends the polls of the key that came before: only one that has proven its credential may. */
  replaceOthers: () => void
  /** It got what it waits for, or its caller has gone. */
  leave: () => void
}

/**
 * Requests that wait until something happens to their device or partner, in memory of this process. Tens of thousands
 * may wait, so each is one small object, and one timer ends those of all.
 */
export class WaitingPolls {
  readonly #byKey = new Map<string, Waiting[]>()
  readonly #bySlot = new Map<number, Set<Waiting>>()
  #timer: NodeJS.Timeout | undefined
  #lastSlot = 0
  #size = 0
  #gathering: Promise<void> | undefined
  #closed = false

  get size(): number {
    return this.#size
  }

  countOf(key: string): number {
    return this.#byKey.get(key)?.length ?? 0
  }

  /** `ended` resolves when the key is woken, after `milliseconds`, or when a further poll of the key replaces this one. */
  wait(key: string, milliseconds: number): WaitingPoll {
    const { promise: ended, resolve } = Promise.withResolvers<PollEnd>()
    if (this.#closed) {
      resolve('over')
      return { ended, replaceOthers: () => {}, leave: () => {} }
    }
    const slot = Math.ceil((performance.now() + milliseconds) / stepMilliseconds)
    const waiting: Waiting = {
      key,
      slot,
      end: (how) => {
        if (!this.#delete(waiting)) return
        resolve(how)
      },
    }
    const ofKey = this.#byKey.get(key)
    if (ofKey) ofKey.push(waiting)
    else this.#byKey.set(key, [waiting])
    this.#size += 1
    const ofSlot = this.#bySlot.get(slot)
    if (ofSlot) ofSlot.add(waiting)
    else this.#bySlot.set(slot, new Set([waiting]))
    this.#start()
    return {
      ended,
      replaceOthers: () => this.#replaceBefore(waiting),
      leave: () => waiting.end('gone'),
    }
  }

  wake(key: string): void {
    for (const waiting of [...(this.#byKey.get(key) ?? [])]) waiting.end('woken')
  }

  /** Notifications may have been lost. */
  wakeAll(): void {
    this.#endAll('woken')
  }

  /**
   * Resolves at once where few wait, and for the next one of many together with others: ten thousand devices that poll
   * again and again then cost about one look-up per second (decision 7.89).
   */
  gather(): Promise<void> | undefined {
    const milliseconds = Math.min(longestGathering, this.#size / 10)
    if (milliseconds < 10) return undefined
    this.#gathering ??= sleep(milliseconds, undefined, { ref: false }).finally(() => {
      this.#gathering = undefined
    })
    return this.#gathering
  }

  /** The process stops: nobody waits any longer, and a further poll is over at once. */
  close(): void {
    this.#closed = true
    this.#endAll('over')
  }

  #endAll(how: PollEnd): void {
    for (const waiting of [...this.#byKey.values()].flat()) waiting.end(how)
  }

  /** Those after it may be of somebody else: they have not proven their credential yet. */
  #replaceBefore(waiting: Waiting): void {
    const ofKey = this.#byKey.get(waiting.key) ?? []
    // One that no longer waits replaces nobody.
    for (const before of ofKey.slice(0, Math.max(0, ofKey.indexOf(waiting)))) before.end('replaced')
  }

  #start(): void {
    if (this.#timer) return
    this.#lastSlot = Math.floor(performance.now() / stepMilliseconds)
    this.#timer = setInterval(() => this.#endDue(), stepMilliseconds).unref()
  }

  #endDue(): void {
    const current = Math.floor(performance.now() / stepMilliseconds)
    for (; this.#lastSlot < current; this.#lastSlot += 1) {
      for (const waiting of [...(this.#bySlot.get(this.#lastSlot + 1) ?? [])]) waiting.end('over')
    }
  }

  #delete(waiting: Waiting): boolean {
    const ofSlot = this.#bySlot.get(waiting.slot)
    if (!ofSlot?.delete(waiting)) return false
    if (ofSlot.size === 0) this.#bySlot.delete(waiting.slot)
    const ofKey = this.#byKey.get(waiting.key)!
    ofKey.splice(ofKey.indexOf(waiting), 1)
    if (ofKey.length === 0) this.#byKey.delete(waiting.key)
    this.#size -= 1
    if (this.#size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    return true
  }
}
