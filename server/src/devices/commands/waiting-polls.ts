import { setTimeout as sleep } from 'node:timers/promises'

/** Why a poll no longer waits. */
export type PollEnd = 'woken' | 'over' | 'replaced' | 'gone'

/** How exactly a wait ends: all that end within the same fraction of a second share a timer. */
const stepMilliseconds = 250
const longestGathering = 1_000

/** Told once why it no longer waits. */
export interface Waiter {
  waitEnded(how: PollEnd): void
}

/** A poll from its arrival on: what happens while it is authenticated is not missed. */
export class WaitingPoll {
  readonly key: string
  readonly slot: number
  readonly #polls: WaitingPolls
  #how: PollEnd | undefined
  #waiter: Waiter | undefined
  #promise: PromiseWithResolvers<PollEnd> | undefined

  constructor(polls: WaitingPolls, key: string, slot: number) {
    this.#polls = polls
    this.key = key
    this.slot = slot
  }

  /** Only the last one that asked; at once, if it has ended. Costs less memory than a promise and what waits for it. */
  tell(waiter: Waiter): void {
    if (this.#how) waiter.waitEnded(this.#how)
    else this.#waiter = waiter
  }

  get ended(): Promise<PollEnd> {
    this.#promise ??= Promise.withResolvers()
    if (this.#how) this.#promise.resolve(this.#how)
    return this.#promise.promise
  }

  /** Ends the polls of the key that came before: only one that has proven its credential may. */
  replaceOthers(): void {
    this.#polls.replaceBefore(this)
  }

  /** It got what it waits for, or its caller has gone. */
  leave(): void {
    this.#polls.end(this, 'gone')
  }

  /** By `WaitingPolls`, which has forgotten it. */
  settle(how: PollEnd): void {
    this.#how = how
    this.#promise?.resolve(how)
    this.#waiter?.waitEnded(how)
  }
}

/**
 * Requests that wait until something happens to their device or partner, in memory of this process. Tens of thousands
 * may wait, so each is one small object, and one timer ends those of all.
 */
export class WaitingPolls {
  readonly #byKey = new Map<string, WaitingPoll[]>()
  readonly #bySlot = new Map<number, Set<WaitingPoll>>()
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

  /** It ends when the key is woken, after `milliseconds`, or when a further poll of the key replaces it. */
  wait(key: string, milliseconds: number): WaitingPoll {
    const slot = Math.ceil((performance.now() + milliseconds) / stepMilliseconds)
    const poll = new WaitingPoll(this, key, slot)
    if (this.#closed) {
      poll.settle('over')
      return poll
    }
    const ofKey = this.#byKey.get(key)
    if (ofKey) ofKey.push(poll)
    else this.#byKey.set(key, [poll])
    this.#size += 1
    const ofSlot = this.#bySlot.get(slot)
    if (ofSlot) ofSlot.add(poll)
    else this.#bySlot.set(slot, new Set([poll]))
    this.#start()
    return poll
  }

  end(poll: WaitingPoll, how: PollEnd): void {
    if (this.#delete(poll)) poll.settle(how)
  }

  wake(key: string): void {
    for (const poll of [...(this.#byKey.get(key) ?? [])]) this.end(poll, 'woken')
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
    for (const poll of [...this.#byKey.values()].flat()) this.end(poll, how)
  }

  /** Those after it may be of somebody else: they have not proven their credential yet. */
  replaceBefore(poll: WaitingPoll): void {
    const ofKey = this.#byKey.get(poll.key) ?? []
    // One that no longer waits replaces nobody.
    for (const before of ofKey.slice(0, Math.max(0, ofKey.indexOf(poll)))) this.end(before, 'replaced')
  }

  #start(): void {
    if (this.#timer) return
    this.#lastSlot = Math.floor(performance.now() / stepMilliseconds)
    this.#timer = setInterval(() => this.#endDue(), stepMilliseconds).unref()
  }

  #endDue(): void {
    const current = Math.floor(performance.now() / stepMilliseconds)
    for (; this.#lastSlot < current; this.#lastSlot += 1) {
      for (const poll of [...(this.#bySlot.get(this.#lastSlot + 1) ?? [])]) this.end(poll, 'over')
    }
  }

  #delete(poll: WaitingPoll): boolean {
    const ofSlot = this.#bySlot.get(poll.slot)
    if (!ofSlot?.delete(poll)) return false
    if (ofSlot.size === 0) this.#bySlot.delete(poll.slot)
    const ofKey = this.#byKey.get(poll.key)!
    ofKey.splice(ofKey.indexOf(poll), 1)
    if (ofKey.length === 0) this.#byKey.delete(poll.key)
    this.#size -= 1
    if (this.#size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    return true
  }
}
