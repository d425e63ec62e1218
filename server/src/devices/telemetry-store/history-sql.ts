import { cancelWhen, concerning, type Fragment, type Sql } from '../../platform/database/sql.ts'

export interface HistoryItem {
  message_id: string | null
  timestamp: Date
  received_at: Date
  status: string
  /** Null for a data point that the message removed. */
  telemetries: Record<string, number | string | boolean | null>
  /** The message replaced the whole state. */
  override?: true
}

/** A device as the history knows it. */
export interface HistoryDevice {
  bucket: number
  number: number
}

/** Its rows in a table that has its number; `table` with a dot behind it. */
export function ofDevice(sql: Sql, { bucket, number }: HistoryDevice, table: Fragment = sql``): Fragment {
  return concerning(sql, [bucket], sql`${table}bucket = ${bucket}::smallint and ${table}device_number = ${number}`)
}

export interface HistoryRange {
  from: Date
  to: Date
  /** Messages received before are left out: a customer sees what arrived since its own claim (decision 7.62). */
  receivedFrom: Date
}

/** A position between two messages of a device. */
export interface HistoryCursor {
  timestamp: Date
  sequence: number
}

/** The messages of a range behind the cursor, in either order. */
export async function selectHistory(
  sql: Sql,
  device: HistoryDevice,
  { from, to, receivedFrom }: HistoryRange,
  { newestFirst, after, limit }: { newestFirst: boolean; after: HistoryCursor; limit: number },
  signal: AbortSignal | undefined,
): Promise<(HistoryItem & HistoryCursor)[]> {
  const statement = sql<(HistoryItem & HistoryCursor)[]>`
    select nullif(message_id, '') as message_id, timestamp, sequence, received_at, status, telemetries from history
    where ${ofDevice(sql, device)} and timestamp >= ${from} and timestamp <= ${to} and received_at >= ${receivedFrom}
      and (timestamp, sequence) ${newestFirst ? sql`<` : sql`>`} (${after.timestamp}::timestamptz, ${after.sequence}::int)
    order by ${newestFirst ? sql`timestamp desc, sequence desc` : sql`timestamp, sequence`}
    limit ${limit}`
  return (await cancelWhen(signal, statement)).map(asSent)
}

/** As the device sent it: the store has `override` under the empty name. */
function asSent<Item extends HistoryItem>(item: Item): Item {
  if (!Object.hasOwn(item.telemetries, '')) return item
  const { '': _, ...telemetries } = item.telemetries
  return { ...item, telemetries, override: true }
}

/** The names of all data points in the messages of a range; more than a device can have at once are left out. */
export async function listKeysOfHistory(
  sql: Sql,
  device: HistoryDevice,
  { from, to, receivedFrom }: HistoryRange,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const statement = sql<{ key: string }[]>`
    select key collate "default" as key from (
      select distinct json_object_keys(telemetries) as key from history
      where ${ofDevice(sql, device)} and timestamp >= ${from} and timestamp <= ${to} and received_at >= ${receivedFrom}
    ) point
    where key <> '' order by 1 limit ${limit}`
  return (await cancelWhen(signal, statement)).map(({ key }) => key)
}

export interface SeriesRow {
  key: string
  at: Date
  min: number
  max: number
  avg: number
  count: number
}

/**
 * Minimum, maximum and average of each interval; each message is read once, however many keys are requested. Booleans
 * count as 0 and 1; texts are left out. The numbers are returned as text: Postgres refuses an average that is too small
 * for float8, while JavaScript reads it as 0.
 */
export async function selectSeries(
  sql: Sql,
  device: HistoryDevice,
  { from, to, receivedFrom }: HistoryRange,
  { keys, intervalSeconds }: { keys: string[]; intervalSeconds: number },
  signal: AbortSignal | undefined,
): Promise<SeriesRow[]> {
  const statement = sql<{ key: string; at: Date; min: string; max: string; avg: string; count: number }[]>`
    select point.key, date_bin(make_interval(secs => ${intervalSeconds}), message.timestamp, ${from}) as at,
      min(point.value)::text as min, max(point.value)::text as max, avg(point.value)::text as avg,
      count(*)::int as count
    from history message
    cross join lateral (
      select key, case json_typeof(value)
        when 'number' then value::text::numeric
        when 'boolean' then value::text::boolean::int
      end as value
      from json_each(message.telemetries) where key = any(${keys}::text[])
    ) point
    where ${ofDevice(sql, device, sql`message.`)}
      and message.timestamp >= ${from} and message.timestamp < ${to}
      and message.received_at >= ${receivedFrom} and point.value is not null
    group by 1, 2 order by 1, 2`
  const rows = await cancelWhen(signal, statement)
  return rows.map(({ min, max, avg, ...row }) => ({ ...row, min: Number(min), max: Number(max), avg: Number(avg) }))
}

export interface TimelineRow {
  key: string
  from: Date
  to: Date
  /** JSON; null where several values were too close together. */
  value: string | null
  changes: number
}

/**
 * The periods in which each key had one value. Nothing for five times the usual distance of its messages ends a period,
 * and so does its removal.
 * Periods that begin within the same interval are one, without a value.
 */
export async function selectTimelines(
  sql: Sql,
  device: HistoryDevice,
  { from, to, receivedFrom }: HistoryRange,
  { keys, intervalSeconds }: { keys: string[]; intervalSeconds: number },
  signal: AbortSignal | undefined,
): Promise<TimelineRow[]> {
  const statement = sql<TimelineRow[]>`
    with point as (
      select entry.key, entry.value, message.timestamp as at, message.sequence,
        lag(entry.value) over device_key as value_before, lag(message.timestamp) over device_key as at_before
      from history message
      cross join lateral (
        select key, value::text as value from json_each(message.telemetries) where key = any(${keys}::text[])
        union all
        select key, 'null' from unnest(${keys}::text[]) as key
        where message.telemetries -> '' is not null and message.telemetries -> key is null
      ) entry
      where ${ofDevice(sql, device, sql`message.`)}
        and message.timestamp >= ${from} and message.timestamp < ${to}
        and message.received_at >= ${receivedFrom}
      window device_key as (partition by entry.key order by message.timestamp, message.sequence)
    ), key as (
      select key, max(at) as last_at, 5 * percentile_disc(0.5) within group (order by at - at_before) as gap
      from point group by key
    ), beginning as (
      select point.*, key.last_at, coalesce(at - at_before > key.gap, false) as after_gap
      from point join key using (key)
      where value is distinct from value_before or at - at_before > key.gap
    ), period as (
      select key, value, at, case
          when lead(at) over next is null then last_at
          when lead(after_gap) over next then lead(at_before) over next
          else lead(at) over next
        end as until
      from beginning window next as (partition by key order by at, sequence)
    )
    select key, min(at) as "from", max(until) as "to", case when count(*) = 1 then min(value) end as value,
      count(*)::int as changes
    from period where value <> 'null' group by key, floor(extract(epoch from at - ${from}::timestamptz) / ${intervalSeconds}::float8)
    order by 1, 2`
  return await cancelWhen(signal, statement)
}
