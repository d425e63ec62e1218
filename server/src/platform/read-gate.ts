import { Refusal } from './refusal.ts'

export interface ReadGateOptions {
  /** Reads of one tenant under way at once. */
  atOnce: number
  /** Reads of one tenant that may wait for their turn; more are refused. */
  maxWaiting: number
}

/** Runs the read when it is the tenant's turn, in the order they came. */
export type ReadGate = <T>(tenant: string, signal: AbortSignal | undefined, read: () => Promise<T>) => Promise<T>

interface Line {
  running: number
  waiting: (() => void)[]
}

/** Keeps one tenant from using every connection that there is for slow reads. */
export function readGate({ atOnce, maxWaiting }: ReadGateOptions): ReadGate {
  const lines = new Map<string, Line>()

  async function enter(line: Line, signal: AbortSignal | undefined): Promise<void> {
    if (line.running < atOnce) {
      line.running += 1
      return
    }
    if (line.waiting.length >= maxWaiting) {
      throw new Refusal(429, 'too_many_reads', 'Too many reads of history wait for their turn. Send fewer at once.')
    }
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        line.waiting.splice(line.waiting.indexOf(turn), 1)
        reject(signal!.reason)
      }
      const turn = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      line.waiting.push(turn)
      signal?.addEventListener('abort', leave)
    })
  }

  return async (tenant, signal, read) => {
    signal?.throwIfAborted()
    const line = lines.get(tenant) ?? { running: 0, waiting: [] }
    lines.set(tenant, line)
    await enter(line, signal)
    try {
      return await read()
    } finally {
      const next = line.waiting.shift()
      // The next one takes over the place of this one.
      if (next) next()
      else line.running -= 1
      if (line.running === 0) lines.delete(tenant)
    }
  }
}
