import type { KeyObject } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { coalesce } from '../../platform/database/coalesce.ts'
import type { SigningOrder, SigningReport } from './signing-worker.ts'

/**
 * A signature (base64url) of SHA-256 with this key, off the main thread. `crypto.sign` with a callback makes a quarter as
 * many per second with ES256 and occupies the main thread seven times as long; with RS256 it makes as many, but libuv's
 * other work (files, passwords) then waits for 300 ms and more. Measured with `npm run bench:signing` on two cores.
 */
export function signature256(key: KeyObject, input: string): Promise<string> {
  let sign = signers.get(key)
  if (!sign) {
    // Two orders per thread, so that it never waits for the next one.
    sign = coalesce((inputs) => signAll(key, inputs), { max: 16, lanes: threadCount * 2 })
    signers.set(key, sign)
  }
  return sign(input)
}

const threadCount = availableParallelism()
const signers = new WeakMap<KeyObject, (input: string) => Promise<string>>()
const threads: Thread[] = []

function signAll(key: KeyObject, inputs: string[]): Promise<string[]> {
  const idle = threads.find((thread) => thread.waiting === 0)
  if (!idle && threads.length < threadCount) threads.push(new Thread())
  const thread = idle ?? threads.reduce((min, other) => (other.waiting < min.waiting ? other : min))
  return thread.sign(key, inputs)
}

interface Waiter {
  resolve(signatures: string[]): void
  reject(error: Error): void
}

class Thread {
  readonly #worker = new Worker(new URL('signing-worker.ts', import.meta.url))
  readonly #waiters = new Map<number, Waiter>()
  #orders = 0
  #key: KeyObject | null = null

  constructor() {
    this.#worker.on('message', (report: SigningReport) => this.#settle(report))
    this.#worker.on('error', (error) => this.#end(error as Error))
    this.#worker.on('exit', () => this.#end(new Error('a signing thread ended')))
    this.#worker.unref()
  }

  get waiting(): number {
    return this.#waiters.size
  }

  sign(key: KeyObject, inputs: string[]): Promise<string[]> {
    return new Promise((resolve, reject) => {
      // Sending a key takes longer than signing with it, and it hardly ever changes.
      const order: SigningOrder = { id: this.#orders, key: key === this.#key ? null : key, inputs }
      this.#worker.postMessage(order)
      // Only after it was sent: the next order must not be signed with an older key.
      this.#key = key
      this.#orders += 1
      // A thread keeps the process alive only while a caller waits for it.
      if (this.waiting === 0) this.#worker.ref()
      this.#waiters.set(order.id, { resolve, reject })
    })
  }

  #settle(report: SigningReport): void {
    const waiter = this.#waiters.get(report.id)
    this.#waiters.delete(report.id)
    if (this.waiting === 0) this.#worker.unref()
    if ('error' in report) waiter?.reject(new Error(report.error))
    else waiter?.resolve(report.signatures)
  }

  /** Rejects its callers; the next signature starts another thread. */
  #end(error: Error): void {
    const index = threads.indexOf(this)
    if (index >= 0) threads.splice(index, 1)
    for (const { reject } of this.#waiters.values()) reject(error)
    this.#waiters.clear()
  }
}
