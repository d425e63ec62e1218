import { cancelWhen, concerning, type Sql } from '../../platform/database/sql.ts'
import type { HistoryDevice } from './history-sql.ts'

/** A device in the history, and since when its customer may read it. */
export interface Sender extends HistoryDevice {
  claimed_at: Date
}

export interface AggregateRow {
  at: Date
  min: number
  max: number
  avg: number
  sum: number
  count: number
}

/**
 * The last value of each device in each interval, put together over the devices. One look-up in the index per
 * device and interval, however many messages there are. As in `selectSeries`, the numbers are returned as text.
 */
export async function selectAggregate(
  sql: Sql,
  senders: Sender[],
  { key, from, to, intervalSeconds }: { key: string; from: Date; to: Date; intervalSeconds: number },
  signal: AbortSignal | undefined,
): Promise<AggregateRow[]> {
  const last = Math.ceil((to.getTime() - from.getTime()) / 1000 / intervalSeconds) - 1
  const statement = sql<{ at: Date; min: string; max: string; avg: string; sum: string; count: number }[]>`
    select stretch.start as at, min(point.value)::text as min, max(point.value)::text as max, avg(point.value)::text as avg,
      sum(point.value)::text as sum, count(*)::int as count
    from (
      select ${from}::timestamptz + make_interval(secs => ${intervalSeconds}::float8 * number) as start,
        least(${from}::timestamptz + make_interval(secs => ${intervalSeconds}::float8 * (number + 1)), ${to}) as "end"
      from generate_series(0, ${last}::int) as number
    ) stretch
    cross join unnest(
      ${senders.map(({ bucket }) => bucket)}::smallint[], ${senders.map(({ number }) => number)}::int[],
      ${senders.map(({ claimed_at }) => claimed_at)}::timestamptz[]
    ) as device (bucket, number, claimed_at)
    cross join lateral (
      select case json_typeof(message.value)
        when 'number' then message.value::text::numeric
        when 'boolean' then message.value::text::boolean::int
      end as value
      from (
        select telemetries -> ${key}::text as value from history
        where bucket = device.bucket and device_number = device.number and timestamp >= stretch.start and timestamp < stretch."end"
          and received_at >= device.claimed_at
          and telemetries ->> ${key}::text is not null
        order by timestamp desc, sequence desc limit 1
      ) message
    ) point
    where point.value is not null
    group by stretch.start order by stretch.start`
  const rows = await cancelWhen(
    signal,
    concerning(
      sql,
      senders.map(({ bucket }) => bucket),
      statement,
    ),
  )
  return rows.map(({ at, min, max, avg, sum, count }) => ({
    ...{ at, min: Number(min), max: Number(max), avg: Number(avg), sum: Number(sum), count },
  }))
}
