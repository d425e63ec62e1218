export interface Backoff {
  /** Attempts in all. Those that are refused with 429 do not count: `limitedMs` is for them. */
  attempts: number
  firstDelayMs: number
  longestDelayMs: number
  /** How long to go on after a first 429. 60 s if left out, which is the window of the service's limits. */
  limitedMs?: number
}

export const usualBackoff: Backoff = { attempts: 5, firstDelayMs: 500, longestDelayMs: 30_000 }

/** Doubled each time, with full jitter: many clients that failed together must not come back together. */
export function delayOf({ firstDelayMs, longestDelayMs }: Backoff, attempt: number): number {
  return Math.random() * Math.min(firstDelayMs * 2 ** attempt, longestDelayMs)
}

export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    if (signal?.aborted) return reject(signal.reason)
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', end, { once: true })
  })
}

/** After a 429: as asked, or doubled with jitter until `limitedMs` are over; null when that would be too long. */
export function delayAfterLimit(backoff: Backoff, refusals: number, waitedMs: number, askedMs: number): number | null {
  const leftMs = (backoff.limitedMs ?? 60_000) - waitedMs
  if (leftMs <= 0 || askedMs > leftMs) return null
  const jitter = Math.random() * backoff.firstDelayMs
  // The last attempt is made when the window in which the first one was refused has ended.
  return askedMs > 0 ? askedMs + jitter : Math.min(delayOf(backoff, refusals), leftMs + jitter)
}
