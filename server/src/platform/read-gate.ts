import { Refusal } from './refusal.ts'

export interface ReadGateOptions {
  /** Concurrent reads of all tenants: the connections that there are for them. */
  atOnce: number
  /** Concurrent reads per tenant. */
  ofTenant: number
  /** Reads per tenant that may wait; more are refused. */
  maxWaiting: number
  /** A read that has waited longer is refused. */
  waitSeconds: number
}

export interface Reader {
  tenant: string
  /** Aborted when the caller has left. */
  signal?: AbortSignal | undefined
  /** Waits until its turn comes: a response that has begun cannot be refused any more. */
  patient?: boolean
}

/** Runs the read when it is its tenant's turn. */
export type ReadGate = <T>(reader: Reader, read: () => Promise<T>) => Promise<T>

interface Queue {
  running: number
  waiting: (() => void)[]
}

/** Keeps one tenant from using every connection for reads that grow with it: tenants take turns. */
export function readGate({ atOnce, ofTenant, maxWaiting, waitSeconds }: ReadGateOptions): ReadGate {
  /** In the order of their next turns. */
  const queues = new Map<string, Queue>()
  let running = 0

  function serve(): void {
    while (running < atOnce) {
      const next = [...queues].find(([, queue]) => queue.waiting.length > 0 && queue.running < ofTenant)
      if (!next) return
      const [tenant, queue] = next
      queues.delete(tenant)
      queues.set(tenant, queue)
      queue.running += 1
      running += 1
      queue.waiting.shift()!()
    }
  }

  async function wait(queue: Queue, { signal, patient }: Reader): Promise<void> {
    if (!patient && queue.waiting.length >= maxWaiting && !(running < atOnce && queue.running < ofTenant)) {
      throw tooManyReads()
    }
    await new Promise<void>((resolve, reject) => {
      const leave = (error: unknown) => {
        queue.waiting.splice(queue.waiting.indexOf(turn), 1)
        stop()
        reject(error)
      }
      const left = () => leave(signal!.reason)
      const late = patient ? undefined : setTimeout(() => leave(tooManyReads()), waitSeconds * 1000)
      const stop = () => {
        clearTimeout(late)
        signal?.removeEventListener('abort', left)
      }
      const turn = () => {
        stop()
        resolve()
      }
      queue.waiting.push(turn)
      signal?.addEventListener('abort', left)
      serve()
    })
  }

  return async (reader, read) => {
    reader.signal?.throwIfAborted()
    const { tenant } = reader
    const queue = queues.get(tenant) ?? { running: 0, waiting: [] }
    queues.set(tenant, queue)
    try {
      await wait(queue, reader)
      try {
        return await read()
      } finally {
        queue.running -= 1
        running -= 1
        serve()
      }
    } finally {
      if (queue.running === 0 && queue.waiting.length === 0) queues.delete(tenant)
    }
  }
}

function tooManyReads(): Refusal {
  const sentence = 'Too many large reads of yours are under way. Send fewer at once, and try again shortly.'
  return new Refusal(429, 'too_many_reads', sentence, { retryAfter: 5 })
}
