import { coalesce } from './database/coalesce.ts'
import { type Age, agedBefore, type Pool } from './database/sql.ts'
import type { SharedJob } from './jobs.ts'
import { digest } from './secrets/secrets.ts'

/** A fixed window of 60 s that starts at the key's first request. Refused requests count (contract 8). */
export interface Limits {
  /** Counts one request and returns whether it is within `max` per window. */
  take(key: string, max: number): Promise<boolean>
  /** Counts `wanted` requests at once and returns how many of them are within `max`. */
  takeMany(key: string, wanted: number, max: number): Promise<Taken>
  /** Removes one request from the count, for limits of failures, which count before the outcome is known. */
  giveBack(key: string): Promise<void>
  /** Whether `max` requests are counted already, without counting one. */
  isUsedUp(key: string, max: number): Promise<boolean>
  /** How many requests are counted in the open window. */
  countOf(key: string): Promise<number>
}

export interface Taken {
  granted: number
  /** What is left of `max` afterwards, for all processes. */
  left: number
  /** When the window ends and counting starts again. */
  closesAt: Date
}

export const windowMilliseconds = 60_000

/** `count` includes the `wanted` ones. */
function taken(count: number, wanted: number, max: number, openedAt: number): Taken {
  const before = max - (count - wanted)
  return {
    granted: Math.max(0, Math.min(wanted, before)),
    left: Math.max(0, max - count),
    closesAt: new Date(openedAt + windowMilliseconds),
  }
}

/** For one process on its private Postgres. */
export function memoryLimits(now: () => Date): Limits {
  const windows = new Map<string, { openedAt: number; count: number }>()
  let sweptAt = now().getTime()

  // Without this, memory would grow with every address ever seen.
  function sweep(at: number): void {
    if (at - sweptAt < windowMilliseconds) return
    sweptAt = at
    for (const [key, window] of windows) if (at - window.openedAt >= windowMilliseconds) windows.delete(key)
  }

  function openWindow(key: string, at: number) {
    const window = windows.get(key)
    // As `isOpen`.
    return window && Math.abs(at - window.openedAt) < windowMilliseconds ? window : undefined
  }

  function count(longKey: string, requests: number) {
    const key = bounded(longKey)
    const at = now().getTime()
    sweep(at)
    const window = openWindow(key, at) ?? { openedAt: at, count: 0 }
    windows.set(key, window)
    window.count += requests
    return window
  }

  return {
    take: async (key, max) => count(key, 1).count <= max,
    async takeMany(key, wanted, max) {
      const window = count(key, wanted)
      return taken(window.count, wanted, max, window.openedAt)
    },
    async giveBack(key) {
      const window = openWindow(bounded(key), now().getTime())
      if (window && window.count > 0) window.count -= 1
    },
    async isUsedUp(key, max) {
      return (openWindow(bounded(key), now().getTime())?.count ?? 0) >= max
    },
    countOf: async (key) => openWindow(bounded(key), now().getTime())?.count ?? 0,
  }
}

/** For many processes on one Postgres: one statement counts the requests of many callers. */
export function postgresLimits(sql: Pool, now: () => Date): Limits {
  const count = coalesce(async (arrivals: Arrival[]) => countRequests(sql, arrivals, now()), { atOnce: 2 })
  return {
    take: async (key, max) => (await count({ key: bounded(key), requests: 1 })).count <= max,
    async takeMany(key, wanted, max) {
      const window = await count({ key: bounded(key), requests: wanted })
      return taken(window.count, wanted, max, window.opened_at.getTime())
    },
    giveBack: (key) => uncountRequest(sql, bounded(key), now()),
    isUsedUp: async (key, max) => (await readCount(sql, bounded(key), now())) >= max,
    countOf: (key) => readCount(sql, bounded(key), now()),
  }
}

/** Only in the open window: an earlier one no longer counts. */
async function uncountRequest(sql: Pool, key: string, at: Date): Promise<void> {
  await sql`
    update limit_windows set count = count - 1
    where key = ${key} and count > 0 and ${isOpen(sql, at)}`
}

/** Both ways: a clock that was set back must not keep a window open until it has caught up. */
function isOpen(sql: Pool, at: Date) {
  return sql`opened_at > ${at}::timestamptz - interval '60 seconds' and opened_at < ${at}::timestamptz + interval '60 seconds'`
}

async function readCount(sql: Pool, key: string, at: Date): Promise<number> {
  const [open] = await sql<{ count: number }[]>`
    select count from limit_windows
    where key = ${key} and ${isOpen(sql, at)}`
  return open?.count ?? 0
}

interface Arrival {
  key: string
  requests: number
}

/** For each arrival, its key's window with the count up to and including it, in order of arrival. */
async function countRequests(sql: Pool, arrivals: Arrival[], at: Date): Promise<Omit<WindowRow, 'key'>[]> {
  const sums = new Map<string, number>()
  const upTo = arrivals.map(({ key, requests }) => {
    const sum = (sums.get(key) ?? 0) + requests
    sums.set(key, sum)
    return sum
  })
  const windows = new Map((await addToWindows(sql, sums, at)).map((window) => [window.key, window]))
  return arrivals.map(({ key }, index) => {
    const { count, opened_at } = windows.get(key)!
    return { count: count - sums.get(key)! + upTo[index]!, opened_at }
  })
}

interface WindowRow {
  key: string
  count: number
  opened_at: Date
}

async function addToWindows(sql: Pool, arrivals: Map<string, number>, at: Date): Promise<WindowRow[]> {
  // As `isOpen`.
  const closed = sql`(excluded.opened_at >= open.opened_at + interval '60 seconds'
    or excluded.opened_at <= open.opened_at - interval '60 seconds')`
  // In order of key, so that two processes that count the same keys cannot deadlock.
  return await sql<WindowRow[]>`
    insert into limit_windows as open (key, opened_at, count)
    select key, ${at}, arrivals
    from unnest(${[...arrivals.keys()]}::text[], ${[...arrivals.values()]}::integer[]) as batch (key, arrivals)
    order by key
    on conflict (key) do update set
      opened_at = case when ${closed} then excluded.opened_at else open.opened_at end,
      count = case when ${closed} then excluded.count else open.count + excluded.count end
    returning key, count, opened_at`
}

/** A key may contain text of any length from a caller. */
function bounded(key: string): string {
  return key.length <= 200 ? key : digest(key).toString('base64url')
}

/** Rows per statement, each its own transaction, so that a request waits for one batch at most. */
const batch = 1_000

export function deleteClosedWindowsJob({ sql, now }: { sql: Pool; now: () => Date }): SharedJob {
  return {
    name: 'sweep limit windows',
    everySeconds: 30,
    async runShared() {
      const closed = { now: now(), milliseconds: windowMilliseconds }
      while ((await deleteWindows(sql, closed)) === batch);
    },
  }
}

async function deleteWindows(sql: Pool, closed: Age): Promise<number> {
  const { count } = await sql`
    delete from limit_windows where key = any(array(
      select key from limit_windows where opened_at <= ${agedBefore(sql, closed)}
      order by opened_at limit ${batch} for update skip locked))
    and opened_at <= ${agedBefore(sql, closed)}`
  return count
}
