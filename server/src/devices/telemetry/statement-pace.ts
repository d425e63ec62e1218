/** How far apart statements begin while messages keep coming, so that more of them share one (decision 9.18). */
export interface Pace {
  /** Between two statements of a lane at least; twice as long as the last one took, if that is more. */
  milliseconds: number
  maxMilliseconds: number
  /** Between two statements of any lanes. */
  apart: number
  /** With so many keys ready a statement begins at once: more would hardly make a message cheaper. */
  enough: number
}

/** Of one lane. */
export interface LaneTimes {
  began: number
  pause: number
}

export interface StatementPace {
  /**
   * Whether a statement of this lane may begin; if not, `start` is called when one may. `now` is the same for all lanes
   * of a look: otherwise one could become due between two lanes, and the later one would take its turn.
   */
  mayBegin(lane: LaneTimes, ready: number, now: number): boolean
  ended(lane: LaneTimes, took: number): void
}

export function laneTimes(): LaneTimes {
  return { began: Number.NEGATIVE_INFINITY, pause: 0 }
}

/** After a pause of that length a message never waits. */
export function statementPace(
  { milliseconds, maxMilliseconds, apart, enough }: Pace,
  start: () => void,
): StatementPace {
  let last = Number.NEGATIVE_INFINITY
  let due = Number.POSITIVE_INFINITY
  let timer: NodeJS.Timeout | undefined

  function startAt(at: number, now: number): void {
    if (at >= due) return
    due = at
    clearTimeout(timer)
    timer = setTimeout(
      () => {
        due = Number.POSITIVE_INFINITY
        start()
      },
      Math.ceil(at - now),
    )
  }

  return {
    mayBegin(lane, ready, now) {
      const earliest = Math.max(lane.began + lane.pause, last + apart)
      if (earliest > now && ready < enough) {
        startAt(earliest, now)
        return false
      }
      last = now
      lane.began = now
      lane.pause = milliseconds
      return true
    },
    ended(lane, took) {
      lane.pause = Math.min(Math.max(milliseconds, 2 * took), maxMilliseconds)
    },
  }
}
