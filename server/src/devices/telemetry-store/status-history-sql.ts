import type { Age } from '../../platform/database/sql.ts'
import { agedBefore, cancelWhen, type Sql } from '../../platform/database/sql.ts'
import { type HistoryDevice, ofDevice } from './history-sql.ts'
import { inReach } from './lanes.ts'
import type { EffectiveStatus } from './states.ts'

/** The status at an instant: what the next change says it was before. Undefined when nothing changed since. */
export async function findStatusAt(sql: Sql, device: HistoryDevice, at: Date): Promise<EffectiveStatus | undefined> {
  const [row] = await sql<{ previous: EffectiveStatus }[]>`
    select previous from status_history where ${ofDevice(sql, device)} and at > ${at} order by at, number limit 1`
  return row?.previous
}

/** A position between two changes of a device. */
export interface StatusCursor {
  at: Date
  /** Of the change: decides between changes of one instant. */
  number: number
}

export interface StatusHistoryRow extends StatusCursor {
  status: EffectiveStatus
}

/** The changes after `from` and before the cursor, newest first. */
export async function listStatuses(
  sql: Sql,
  device: HistoryDevice,
  { from, before, limit }: { from: Date; before: StatusCursor; limit: number },
): Promise<StatusHistoryRow[]> {
  return await sql<StatusHistoryRow[]>`
    select at, number, status from status_history
    where ${ofDevice(sql, device)} and at > ${from} and (at, number) < (${before.at}::timestamptz, ${before.number}::int)
    order by at desc, number desc limit ${limit}`
}

export interface StatusTotals {
  /** Of the first change; null without any. */
  first_at: Date | null
  seconds: Partial<Record<EffectiveStatus, number>>
}

/** How long each status lasted from the first change of the range on. */
export async function sumStatuses(
  sql: Sql,
  device: HistoryDevice,
  { from, to }: { from: Date; to: Date },
  signal: AbortSignal | undefined,
): Promise<StatusTotals> {
  const statement = sql<[StatusTotals]>`
    with change as (
      select at, status, coalesce(lead(at) over (order by at, number), ${to}::timestamptz) as until
      from status_history where ${ofDevice(sql, device)} and at > ${from} and at <= ${to}
    ), total as (
      select status, min(at) as first_at, sum(extract(epoch from until - at))::float8 as seconds from change group by status
    )
    select min(first_at) as first_at, coalesce(json_object_agg(status, seconds), '{}') as seconds from total`
  const [row] = await cancelWhen(signal, statement)
  return row
}

/**
 * Deletes about as many of the oldest as `max`, and returns how many. Finds the instant first: rows of several shards have
 * no common address by which they could be deleted.
 */
export async function deleteOldStatuses(sql: Sql, age: Age, max: number): Promise<number> {
  const [last] = await sql<{ at: Date }[]>`
    select at from status_history where at < ${agedBefore(sql, age)} and ${inReach(sql)} order by at offset ${max - 1} limit 1`
  const { count } = await sql`
    delete from status_history
    where at < ${agedBefore(sql, age)} and at <= coalesce(${last?.at ?? null}::timestamptz, 'infinity') and ${inReach(sql)}`
  return count
}
