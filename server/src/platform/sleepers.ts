/** Pauses of background loops: all of them end at once when the process stops. */
export interface Sleepers {
  readonly stopped: boolean
  sleep(milliseconds: number): Sleeping
  stop(): void
}

export interface Sleeping {
  over: Promise<void>
  /** Ends the pause now. */
  wake(): void
}

export function createSleepers(): Sleepers {
  const sleeping = new Set<() => void>()
  let stopped = false
  return {
    get stopped() {
      return stopped
    },
    sleep(milliseconds) {
      const { promise: over, resolve } = Promise.withResolvers<void>()
      const wake = () => {
        clearTimeout(timer)
        sleeping.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, stopped ? 0 : Math.max(0, milliseconds))
      sleeping.add(wake)
      return { over, wake }
    },
    stop() {
      stopped = true
      for (const wake of sleeping) wake()
    },
  }
}
