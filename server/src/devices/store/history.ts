import type { Sql } from '../../platform/database/sql.ts'

export interface HistoryItem {
  message_id: string | null
  timestamp: Date
  received_at: Date
  status: string
  telemetries: Record<string, number | string | boolean>
}

/** A device's name in the history, and since when its owner may read there. Removed devices are still found. */
export interface HistorySubject {
  number: number
  claimed_at: Date | null
}

export async function findHistorySubject(
  sql: Sql,
  owner: { customer_id: string } | { partner_id: string },
  id: string,
): Promise<HistorySubject | undefined> {
  const [row] = await sql<HistorySubject[]>`
    select number, claimed_at from devices
    where id = ${id} and ${'customer_id' in owner ? sql`customer_id = ${owner.customer_id}` : sql`partner_id = ${owner.partner_id}`}`
  return row
}

export interface HistoryRange {
  from: Date
  to: Date
  /** Nothing received before is shown: a customer's eyes open with its claim. */
  receivedFrom: Date
}

/** A place between two messages of a device. */
export interface HistoryPlace {
  timestamp: Date
  sequence: number
}

/** The messages of a range that follow the place `after`, in either order. */
export async function selectHistory(
  sql: Sql,
  number: number,
  { from, to, receivedFrom }: HistoryRange,
  { newestFirst, after, limit }: { newestFirst: boolean; after: HistoryPlace; limit: number },
): Promise<(HistoryItem & HistoryPlace)[]> {
  return await sql<(HistoryItem & HistoryPlace)[]>`
    select message_id, timestamp, sequence, received_at, status, telemetries from history
    where device_number = ${number} and timestamp >= ${from} and timestamp <= ${to} and received_at >= ${receivedFrom}
      and (timestamp, sequence) ${newestFirst ? sql`<` : sql`>`} (${after.timestamp}::timestamptz, ${after.sequence}::int)
    order by ${newestFirst ? sql`timestamp desc, sequence desc` : sql`timestamp, sequence`}
    limit ${limit}`
}

export interface SeriesRow {
  key: string
  at: Date
  min: number
  max: number
  avg: number
  count: number
}

/** Smallest, largest and average of each bucket. Booleans count as 0 and 1; text has no place on an axis. */
export async function selectSeries(
  sql: Sql,
  number: number,
  { from, to, receivedFrom }: HistoryRange,
  keys: string[],
  bucketSeconds: number,
): Promise<SeriesRow[]> {
  return await sql<SeriesRow[]>`
    select wanted.key, date_bin(make_interval(secs => ${bucketSeconds}), message.timestamp, ${from}) as at,
      min(point.value)::float8 as min, max(point.value)::float8 as max, avg(point.value)::float8 as avg,
      count(*)::int as count
    from history message
    cross join unnest(${keys}::text[]) as wanted (key)
    cross join lateral (
      select case json_typeof(message.telemetries -> wanted.key)
        when 'number' then (message.telemetries ->> wanted.key)::numeric
        when 'boolean' then (message.telemetries ->> wanted.key)::boolean::int
      end as value
    ) point
    where message.device_number = ${number} and message.timestamp >= ${from} and message.timestamp < ${to}
      and message.received_at >= ${receivedFrom} and point.value is not null
    group by 1, 2 order by 1, 2`
}
