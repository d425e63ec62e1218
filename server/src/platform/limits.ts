/** A fixed window of 60 s that starts at the key's first request. Refused requests count (spec section 8). */
export interface Limits {
  /** Counts one request and says whether it is within `most` a window. */
  take(key: string, most: number): Promise<boolean>
}

export const windowMilliseconds = 60_000

/** For one process on its private Postgres: nothing to share, nothing to write. */
export function memoryLimits(now: () => Date): Limits {
  const windows = new Map<string, { openedAt: number; count: number }>()
  let sweptAt = now().getTime()

  // Keys come from outside: forget closed windows, or memory grows with every address ever seen.
  function sweep(at: number): void {
    if (at - sweptAt < windowMilliseconds) return
    sweptAt = at
    for (const [key, window] of windows) if (at - window.openedAt >= windowMilliseconds) windows.delete(key)
  }

  return {
    async take(key, most) {
      const at = now().getTime()
      sweep(at)
      let window = windows.get(key)
      if (!window || at - window.openedAt >= windowMilliseconds) {
        window = { openedAt: at, count: 0 }
        windows.set(key, window)
      }
      window.count += 1
      return window.count <= most
    },
  }
}
