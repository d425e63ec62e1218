import type { Logger } from 'pino'
import type { Sql } from './database/sql.ts'

/** What time it is, for every process on one database alike. */
export interface Clock {
  now(): Date
  /** Why this process must not serve at the moment, as a sentence; null while its own clock is right. */
  fault(): string | null
  /** Compares again with the database's clock. */
  compare(): Promise<void>
}

/** The clocks of two machines that are kept by NTP differ by milliseconds. */
const mostSkewMilliseconds = 5_000
/** A slower reply says too little about the time it was given. */
const mostRoundTripMilliseconds = 2_000
/** Steps back by less are hidden: they are noise of the comparison, and an order of events would suffer. */
const smallStepMilliseconds = 1_000

export interface FollowedClock extends Clock {
  stop(): void
}

/**
 * The database's clock, read once and counted on from there by the monotonic clock: a step of this machine's own clock
 * changes nothing. Compared again every minute, and at once when the two clocks of this machine disagree.
 */
export async function followDatabaseClock(sql: Sql, log: Logger, everySeconds = 60): Promise<FollowedClock> {
  // Wall and monotonic time here, when it was `database` there.
  let base = await read(sql)
  let skew = base.wall - base.database
  let last = 0
  let comparing: Promise<void> | undefined

  async function compareNow(): Promise<void> {
    const reading = await read(sql)
    if (reading.roundTrip > mostRoundTripMilliseconds) return
    base = reading
    const wasWrong = isWrong()
    skew = reading.wall - reading.database
    if (isWrong() !== wasWrong) log[wasWrong ? 'info' : 'error'](wasWrong ? 'the clock is right again' : describe(skew))
  }

  function compare(): Promise<void> {
    comparing ??= compareNow().finally(() => {
      comparing = undefined
    })
    return comparing
  }

  const compareQuietly = () => void compare().catch((error) => log.warn({ err: error }, 'clock not compared'))
  const isWrong = () => Math.abs(skew) > mostSkewMilliseconds
  const timer = setInterval(compareQuietly, everySeconds * 1000).unref()

  return {
    now() {
      const elapsed = performance.now() - base.monotonic
      // The machine's clock was set, or the machine slept.
      if (Math.abs(Date.now() - base.wall - elapsed) > smallStepMilliseconds && !comparing) compareQuietly()
      const at = Math.floor(base.database + elapsed)
      last = at < last && last - at < smallStepMilliseconds ? last : at
      return new Date(last)
    },
    fault: () => (isWrong() ? describe(skew) : null),
    compare,
    stop: () => clearInterval(timer),
  }
}

interface Reading {
  database: number
  wall: number
  monotonic: number
  roundTrip: number
}

async function read(sql: Sql): Promise<Reading> {
  const began = performance.now()
  const [row] = await sql<{ at: number }[]>`select extract(epoch from clock_timestamp())::float8 * 1000 as at`
  const ended = performance.now()
  const roundTrip = ended - began
  return { database: row!.at, wall: Date.now() - roundTrip / 2, monotonic: ended - roundTrip / 2, roundTrip }
}

function describe(skew: number): string {
  const size = Math.abs(skew) / 1000
  const amount = size < 600 ? `${size.toFixed(1)} seconds` : `${(size / 3_600).toFixed(1)} hours`
  return `The clock of this machine is ${amount} ${skew > 0 ? 'ahead of' : 'behind'} the database's. Set it right, for example with NTP.`
}
