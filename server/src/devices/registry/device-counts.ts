import type { Job } from '../../platform/jobs.ts'
import { listLimits } from '../../platform/own-limits.ts'
import type { Context } from '../context.ts'
import * as store from '../store/device-counts-sql.ts'
import type { CustomerOwner } from '../store/devices-sql.ts'
import { readSlowly } from '../telemetry/slow-reads.ts'

/** Adds up, for each list of spaces, what is directly in them. Every space is counted once, however many lists have it. */
export async function countInSpaces(
  context: Context,
  customerId: string,
  lists: string[][],
  signal?: AbortSignal,
): Promise<store.StatusCounts[]> {
  const ids = [...new Set(lists.flat())]
  const owner = { customer_id: customerId }
  const rows =
    ids.length === 0
      ? []
      : await readSlowly(context, owner, signal, (sql) => store.countBySpace(sql, customerId, ids, signal))
  const bySpace = Map.groupBy(rows, ({ space_id }) => space_id)
  return lists.map((list) => {
    const counts: store.StatusCounts = { never_seen: 0, online: 0, offline: 0, error: 0 }
    for (const { status, count } of list.flatMap((id) => bySpace.get(id) ?? [])) {
      counts[status] = Math.min(listLimits.countedDevices, counts[status] + count)
    }
    return counts
  })
}

const minute = 60_000
/** Between two counts of a trend. */
const trendMilliseconds = 15 * minute
const day = 24 * 60 * minute

/** The counts of the last day, one per quarter of an hour; the newest may be as old. */
export async function readTrend(context: Context, { customer_id: customerId, within }: CustomerOwner) {
  // Counted for whole organizations: it says nothing about some of the spaces.
  if (within) return { items: [], next: null }
  const since = new Date(context.now().getTime() - day)
  return { items: await store.listTrend(context.sql, customerId, since), next: null }
}

/** Decision 7.46: a page that shows the last day reads at most 97 rows, however many devices there are. */
export function deviceTrendsJob({ now }: Pick<Context, 'now'>): Job {
  return {
    name: 'device trends',
    everySeconds: 60,
    async run(sql) {
      const at = new Date(Math.floor(now().getTime() / trendMilliseconds) * trendMilliseconds)
      if (await store.hasTrendAt(sql, at)) return
      await store.insertTrends(sql, at)
      await store.deleteTrendsBefore(sql, new Date(at.getTime() - day - trendMilliseconds))
    },
  }
}

/** A fleet of as many devices is counted when it is asked for; a larger one by the job. */
const maxCountedNow = 10_000

/** Decision 7.47. `counted_at` is null for a large fleet that was not counted yet. */
export async function countFleet(context: Context, partnerId: string) {
  const now = await store.countFleet(context.sql, partnerId, maxCountedNow)
  if (now) return { counted_at: context.now(), items: now, next: null }
  const rows = await store.listFleetCounts(context.sql, partnerId)
  const items = rows.map(({ counted_at, ...row }) => row)
  return { counted_at: rows[0]?.counted_at ?? null, items, next: null }
}

export function fleetCountsJob({ now }: Pick<Context, 'now'>): Job {
  return {
    name: 'fleet counts',
    everySeconds: 600,
    async run(sql) {
      await store.deleteFleetCounts(sql)
      await store.insertFleetCounts(sql, now(), maxCountedNow)
    },
  }
}
