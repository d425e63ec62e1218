import { AsyncLocalStorage } from 'node:async_hooks'
import type { KeyObject } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { oncePerTick } from '../../platform/once-per-tick.ts'
import { signatureOf } from './jws-signature.ts'
import type { SigningOrder, SigningReport } from './signing-worker.ts'

/** A thread serves many callers, so it must not inherit the async context of the one that started it. */
const outsideAnyRequest = AsyncLocalStorage.snapshot()

interface Waiter {
  input: string
  resolve(signature: string): void
  reject(error: Error): void
}

/** A thread has the next order before it reports the last one, so that it never waits. */
const ordersPerThread = 2

/**
 * Signatures off the main thread, on every core, except a few quick ones. `crypto.sign` with a callback makes a quarter
 * as many per second with ES256 and occupies the main thread seven times as long; with RS256 it makes as many, but
 * libuv's other work (files, passwords) then waits for 300 ms and more. Measured with `npm run bench:signing` on two cores.
 */
export class SigningThreads {
  readonly #max: number
  /** Those of ECDSA and of RSA are separate: an ECDSA signature must not wait for an order of RSA, which takes long. */
  readonly #threads = { ec: [] as Thread[], rsa: [] as Thread[] }
  /** The key that has waited longest is first: callers of one key do not wait behind all callers of another. */
  readonly #waiting = new Map<KeyObject, Waiter[]>()
  readonly #dispatchSoon = oncePerTick(() => this.#dispatch())

  /** At most `max` threads of each kind, started when they are needed. */
  constructor(max: number) {
    this.#max = max
  }

  /** SHA-256 with this key, in base64url. `input` is `<header>.<claims>` of a JWS, so it has no spaces. */
  sign(key: KeyObject, input: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const waiter = { input, resolve, reject }
      const others = this.#waiting.get(key)
      if (others) others.push(waiter)
      else this.#waiting.set(key, [waiter])
      // Calls of the same tick share orders.
      this.#dispatchSoon()
    })
  }

  #dispatch(): void {
    for (const [key, waiters] of this.#waiting) {
      if (isQuick(key, waiters.length)) {
        this.#waiting.delete(key)
        signHere(key, waiters)
        continue
      }
      const thread = this.#freeThread(this.#threads[isRsa(key) ? 'rsa' : 'ec'])
      if (!thread) continue
      const ordered = waiters.splice(0, orderSize(key, waiters.length, this.#max))
      this.#waiting.delete(key)
      // Entered again it is last, and this loop comes to it again.
      if (waiters.length > 0) this.#waiting.set(key, waiters)
      thread.order(key, ordered)
    }
  }

  /** An idle one, then a new one, then the least busy one. */
  #freeThread(threads: Thread[]): Thread | null {
    let best: Thread | null = null
    for (const thread of threads) if (!best || thread.orders < best.orders) best = thread
    if (best?.orders === 0) return best
    if (threads.length < this.#max) return this.#start(threads)
    return best && best.orders < ordersPerThread ? best : null
  }

  #start(threads: Thread[]): Thread {
    const thread = outsideAnyRequest(() => new Thread())
    thread.onReport = this.#dispatchSoon
    thread.onEnd = () => {
      const index = threads.indexOf(thread)
      if (index >= 0) threads.splice(index, 1)
      this.#dispatchSoon()
    }
    threads.push(thread)
    return thread
  }
}

function isRsa(key: KeyObject): boolean {
  return key.asymmetricKeyType === 'rsa'
}

/**
 * How many signatures one order has. Enough that a message costs little beside them: an RSA signature takes ten to fifty
 * times as long as an ECDSA one. More of RSA when many wait, since those of one order then share their statements, too
 * (decision 9.25). Fewer callers than that are shared out among all threads.
 */
export function orderSize(key: KeyObject, waiting: number, threads: number): number {
  const share = Math.ceil(waiting / threads)
  if (!isRsa(key)) return Math.min(share, 16)
  return Math.min(share, Math.max(8, Math.min(32, Math.ceil(share / 4))))
}

/**
 * A few ECDSA signatures take less than a millisecond. Sent to a thread and back, they cost up to twice as much processor
 * time, and on a busy machine their callers wait several times as long (decision 9.22).
 */
export function isQuick(key: KeyObject, waiting: number): boolean {
  return key.asymmetricKeyType === 'ec' && waiting <= 16
}

function signHere(key: KeyObject, waiters: Waiter[]): void {
  for (const { input, resolve, reject } of waiters) {
    try {
      resolve(signatureOf(key, input))
    } catch (error) {
      reject(error as Error)
    }
  }
}

/** The threads of one process, when so many processes serve on this machine. */
export function threadsPerProcess(processes: number): number {
  return Math.ceil(availableParallelism() / processes)
}

/** Keys that a thread remembers, since sending one takes longer than signing with it. */
const slots = 8

class Thread {
  readonly #worker = new Worker(new URL('signing-worker.ts', import.meta.url))
  /** Those of the oldest order first: reports come in the order of the orders. */
  readonly #waiters: Waiter[][] = []
  readonly #keys: KeyObject[] = []
  #nextSlot = 0
  onReport = () => {}
  onEnd = () => {}

  constructor() {
    this.#worker.on('message', (report: SigningReport) => {
      this.#settle(report)
      this.onReport()
    })
    this.#worker.on('error', (error) => this.#end(error as Error))
    this.#worker.on('exit', () => this.#end(new Error('a signing thread ended')))
    this.#worker.unref()
  }

  get orders(): number {
    return this.#waiters.length
  }

  order(key: KeyObject, waiters: Waiter[]): void {
    const known = this.#keys.indexOf(key)
    const slot = known >= 0 ? known : this.#nextSlot
    const inputs = waiters.map(({ input }) => input).join(' ')
    const order: SigningOrder = { slot, key: known >= 0 ? null : key, inputs }
    try {
      this.#worker.postMessage(order)
    } catch (error) {
      for (const { reject } of waiters) reject(error as Error)
      return
    }
    if (known < 0) {
      // Only after it was sent: the next order must not be signed with an older key.
      this.#keys[slot] = key
      this.#nextSlot = (slot + 1) % slots
    }
    // A thread keeps the process alive only while a caller waits for it.
    if (this.orders === 0) this.#worker.ref()
    this.#waiters.push(waiters)
  }

  #settle(report: SigningReport): void {
    const waiters = this.#waiters.shift()!
    if (this.orders === 0) this.#worker.unref()
    if (typeof report === 'string') {
      const signatures = report.split(' ')
      for (const [index, { resolve }] of waiters.entries()) resolve(signatures[index]!)
      return
    }
    for (const { reject } of waiters) reject(new Error(report.error))
  }

  /** Rejects its callers; the next signature starts another thread. */
  #end(error: Error): void {
    for (const { reject } of this.#waiters.splice(0).flat()) reject(error)
    this.onEnd()
  }
}
