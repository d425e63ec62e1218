import type { Message } from './devices.ts'
import { LandbridgeError } from './errors.ts'

export interface Queued extends Message {
  /** Grows with every message. */
  key: number
}

/** Where an outbox keeps messages until the service has them. One outbox uses it at a time. */
export interface OutboxQueue {
  /** Resolves once the message would survive the end of this process, as far as this queue promises that. */
  push(message: Message): Promise<void>
  /** The oldest of those whose key is greater than `after`, in the order in which they were pushed. */
  oldest(count: number, after?: number): Promise<Queued[]>
  /** After a crash a removed message may be there again: it is sent again, and stored once. */
  remove(keys: number[]): Promise<void>
  /** Those in it and those on their way into it. */
  readonly size: number
  close(): Promise<void>
}

export function closed(): LandbridgeError {
  return new LandbridgeError('closed', 'The queue was closed.')
}

/** Forgets everything when the process ends. */
export function memoryQueue(): OutboxQueue {
  const messages = new Map<number, Queued>()
  let last = 0
  let isClosed = false
  return {
    async push(message) {
      if (isClosed) throw closed()
      last += 1
      messages.set(last, { ...message, key: last })
    },
    async oldest(count, after = 0) {
      const oldest: Queued[] = []
      for (const message of messages.values()) {
        if (oldest.length === count) break
        if (message.key > after) oldest.push(message)
      }
      return oldest
    },
    async remove(keys) {
      for (const key of keys) messages.delete(key)
    },
    get size() {
      return messages.size
    },
    async close() {
      isClosed = true
    },
  }
}
