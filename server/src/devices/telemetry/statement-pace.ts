/** How far apart statements begin while messages keep coming, so that more of them share one. */
export interface Pace {
  milliseconds: number
  /** With so many keys ready a statement begins at once: more would hardly make a message cheaper. */
  enough: number
}

export interface StatementPace {
  /** Whether a statement may begin now; if not, `start` is called when it may. */
  mayBegin(ready: number): boolean
}

/** After a pause of that length a message never waits. */
export function statementPace({ milliseconds, enough }: Pace, start: () => void): StatementPace {
  let last = Number.NEGATIVE_INFINITY
  let waiting = false

  function goOn(): void {
    waiting = false
    start()
  }

  return {
    mayBegin(ready) {
      const now = performance.now()
      const wait = last + milliseconds - now
      if (wait > 0 && ready < enough) {
        if (!waiting) setTimeout(goOn, Math.ceil(wait))
        waiting = true
        return false
      }
      last = now
      return true
    },
  }
}
