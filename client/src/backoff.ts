export interface Backoff {
  /** Attempts in all. */
  attempts: number
  firstDelayMs: number
  longestDelayMs: number
}

export const usualBackoff: Backoff = { attempts: 5, firstDelayMs: 500, longestDelayMs: 30_000 }

/** Doubled each time, with full jitter: many clients that failed together must not come back together. */
export function delayOf({ firstDelayMs, longestDelayMs }: Backoff, attempt: number): number {
  return Math.random() * Math.min(firstDelayMs * 2 ** attempt, longestDelayMs)
}

export const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Tries again while it may help: after 429, 5xx, or no response where it is `safe` to repeat. */
export async function sendWithRetries(
  send: () => Promise<Response>,
  backoff: Backoff,
  { safe }: { safe: boolean },
): Promise<Response> {
  for (let attempt = 0; ; attempt += 1) {
    const last = attempt + 1 >= backoff.attempts
    try {
      const response = await send()
      if (last || !(response.status === 429 || response.status >= 500)) return response
      await response.body?.cancel()
      await sleep(Math.max(delayOf(backoff, attempt), retryAfterMs(response)))
    } catch (error) {
      if (last || !safe) throw error
      await sleep(delayOf(backoff, attempt))
    }
  }
}

function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get('retry-after'))
  return Number.isFinite(seconds) ? Math.min(seconds, 120) * 1000 : 0
}
