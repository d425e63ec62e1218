import type { Logger } from 'pino'
import type { Sql } from './database/sql.ts'
import { StartFailure } from './process/start-failure.ts'

/** The time, the same for every process on one database. */
export interface Clock {
  now(): Date
  /** Why this process must not serve, as a sentence; null while the machine's clock is right. */
  problem(): string | null
  /** Compares again with the database's clock. */
  compare(): Promise<void>
}

/** Far more than NTP leaves, which is milliseconds. */
const maxSkewMilliseconds = 5_000
/** A busy machine replies late now and then, so the quickest of a few replies is taken. */
const readings = 3
/** A reply this quick needs no second one. */
const quickMilliseconds = 10
/** Smaller steps back are hidden: they are noise of the comparison, and would disturb the order of events. */
const smallStepMilliseconds = 1_000

export interface FollowedClock extends Clock {
  stop(): void
}

/** Refuses a machine whose clock is wrong; for a start, and for `doctor`. */
export async function requireRightClock(sql: Sql): Promise<void> {
  const { skew, uncertainty } = await read(sql)
  if (isWrongBy(skew, uncertainty)) throw new StartFailure(describe(skew))
}

/**
 * The database's clock, read once and counted on from there by the monotonic clock: a step of this machine's own clock
 * changes nothing. Compared again every minute, and at once when the two clocks of this machine disagree.
 */
export async function followDatabaseClock(sql: Sql, log: Logger, everySeconds = 60): Promise<FollowedClock> {
  let base = await read(sql)
  let { skew, uncertainty } = base
  let last = 0
  let comparing: Promise<void> | undefined

  async function compareNow(): Promise<void> {
    const reading = await read(sql)
    const expected = base.database + reading.monotonic - base.monotonic
    // Within the uncertainty of the reply the current time is kept.
    if (Math.abs(reading.database - expected) > reading.uncertainty) base = reading
    const wasWrong = isWrong()
    skew = reading.skew
    uncertainty = reading.uncertainty
    if (isWrong() !== wasWrong)
      log[wasWrong ? 'info' : 'error'](wasWrong ? 'the clock of this machine is right again' : describe(skew))
  }

  function compare(): Promise<void> {
    comparing ??= compareNow().finally(() => {
      comparing = undefined
    })
    return comparing
  }

  const compareQuietly = () => void compare().catch((error) => log.warn({ err: error }, 'clock not compared'))
  const isWrong = () => isWrongBy(skew, uncertainty)
  const timer = setInterval(compareQuietly, everySeconds * 1000).unref()

  return {
    now() {
      const elapsed = performance.now() - base.monotonic
      // The machine's clock was set, or the machine was suspended.
      const step = Math.abs(Date.now() - base.database - elapsed - skew) - uncertainty
      if (step > smallStepMilliseconds && !comparing) compareQuietly()
      const at = Math.floor(base.database + elapsed)
      last = at < last && last - at < smallStepMilliseconds ? last : at
      return new Date(last)
    },
    problem: () => (isWrong() ? describe(skew) : null),
    compare,
    stop: () => clearInterval(timer),
  }
}

interface Reading {
  database: number
  /** The monotonic clock of this process at that moment. */
  monotonic: number
  /** How far this machine's clock was ahead. */
  skew: number
  /** How wrong both may be: Postgres read its clock at some moment between request and reply. */
  uncertainty: number
}

async function read(sql: Sql): Promise<Reading> {
  let best = await readOnce(sql)
  for (let more = 1; more < readings && best.uncertainty > quickMilliseconds; more += 1) {
    const next = await readOnce(sql)
    if (next.uncertainty < best.uncertainty) best = next
  }
  return best
}

async function readOnce(sql: Sql): Promise<Reading> {
  const began = performance.now()
  const [row] = await sql<{ at: number }[]>`select extract(epoch from clock_timestamp())::float8 * 1000 as at`
  const ended = performance.now()
  const uncertainty = (ended - began) / 2
  return { database: row!.at, monotonic: ended - uncertainty, skew: Date.now() - uncertainty - row!.at, uncertainty }
}

function isWrongBy(skew: number, uncertainty: number): boolean {
  return Math.abs(skew) - uncertainty > maxSkewMilliseconds
}

function describe(skew: number): string {
  const size = Math.abs(skew) / 1000
  const amount = size < 600 ? `${size.toFixed(1)} seconds` : `${(size / 3_600).toFixed(1)} hours`
  return `The clock of this machine is ${amount} ${skew > 0 ? 'ahead of' : 'behind'} the database's. Correct it, for example with NTP.`
}
