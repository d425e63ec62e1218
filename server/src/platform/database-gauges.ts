import { setTimeout as sleep } from 'node:timers/promises'
import { cancelWhen, type Sql } from './database/sql.ts'

/** Seconds for which one reading serves every scraper. */
const cachedSeconds = 10
/** Prometheus gives a scrape ten seconds, and what needs no database must reach it within them. */
const deadlineMilliseconds = 2_000

/**
 * Reads from Postgres at most once per `cachedSeconds`, one statement at a time. A reading that fails, or is not back
 * within the deadline, is absent from the result.
 */
export function cachedReadings<Readings extends object>(
  readers: {
    [Name in keyof Readings]: (signal: AbortSignal) => Promise<Readings[Name]>
  },
): () => Promise<Partial<Readings>> {
  let latest: Promise<Partial<Readings>> | undefined
  let readAt = Number.NEGATIVE_INFINITY

  async function readAll(): Promise<Partial<Readings>> {
    const readings: Partial<Readings> = {}
    const signal = AbortSignal.timeout(deadlineMilliseconds)
    const inTurn = async () => {
      for (const name of Object.keys(readers) as (keyof Readings)[]) {
        if (signal.aborted) return
        await readers[name](signal).then(
          (value) => {
            readings[name] = value
          },
          () => {},
        )
      }
    }
    // A statement that waits for a connection does not notice the signal.
    await Promise.race([inTurn(), sleep(deadlineMilliseconds, undefined, { ref: false })])
    return readings
  }

  return () => {
    if (!latest || performance.now() - readAt > cachedSeconds * 1000) {
      readAt = performance.now()
      latest = readAll()
    }
    return latest
  }
}

/** Seconds that a statement takes to Postgres and back, the wait for a connection included. */
export async function measureRoundTrip(sql: Sql, signal: AbortSignal): Promise<number> {
  const started = performance.now()
  await cancelWhen(signal, sql`select 1`)
  return (performance.now() - started) / 1000
}

export async function countConnections(sql: Sql, signal: AbortSignal): Promise<{ state: string; count: number }[]> {
  return await cancelWhen(
    signal,
    sql<{ state: string; count: number }[]>`
      select coalesce(state, 'unknown') as state, count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name like 'landbridge%' group by 1`,
  )
}
