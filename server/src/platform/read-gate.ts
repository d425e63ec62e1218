import { Refusal } from './refusal.ts'

export interface ReadGateOptions {
  /** Concurrent reads per tenant. */
  atOnce: number
  /** Reads per tenant that may wait; more are refused. */
  maxWaiting: number
}

/** Runs the read when the tenant has a free slot, in order of arrival. */
export type ReadGate = <T>(tenant: string, signal: AbortSignal | undefined, read: () => Promise<T>) => Promise<T>

interface Queue {
  running: number
  waiting: (() => void)[]
}

/** Keeps one tenant from using every connection for slow reads. */
export function readGate({ atOnce, maxWaiting }: ReadGateOptions): ReadGate {
  const queues = new Map<string, Queue>()

  async function enter(queue: Queue, signal: AbortSignal | undefined): Promise<void> {
    if (queue.running < atOnce) {
      queue.running += 1
      return
    }
    if (queue.waiting.length >= maxWaiting) {
      throw new Refusal(429, 'too_many_reads', 'Too many reads are waiting. Send fewer at once.')
    }
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        queue.waiting.splice(queue.waiting.indexOf(turn), 1)
        reject(signal!.reason)
      }
      const turn = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      queue.waiting.push(turn)
      signal?.addEventListener('abort', leave)
    })
  }

  return async (tenant, signal, read) => {
    signal?.throwIfAborted()
    const queue = queues.get(tenant) ?? { running: 0, waiting: [] }
    queues.set(tenant, queue)
    await enter(queue, signal)
    try {
      return await read()
    } finally {
      const next = queue.waiting.shift()
      // The next one takes over this slot.
      if (next) next()
      else queue.running -= 1
      if (queue.running === 0) queues.delete(tenant)
    }
  }
}
