import { cancelWhen, type Sql } from '../../platform/database/sql.ts'

export interface DataPoint {
  key: string
  type: 'number' | 'boolean'
  model_id: string
  devices: number
}

/** Devices of the spaces, through the index of customer and space. */
const devicesIn = (sql: Sql, customerId: string, spaceIds: string[]) => sql`
  devices device join device_states state on state.device_id = device.id
  where device.customer_id = ${customerId} and device.space_id = any(${spaceIds}::uuid[]) and device.space_id is not null`

/** The names of the numbers and booleans in the states of the devices, the most common first. */
export async function listDataPoints(
  sql: Sql,
  customerId: string,
  spaceIds: string[],
  { maxDevices, limit }: { maxDevices: number; limit: number },
  signal: AbortSignal | undefined,
): Promise<DataPoint[]> {
  const statement = sql<DataPoint[]>`
    select point.key, max(point.type) as type, mode() within group (order by device.model_id) as model_id,
      count(*)::int as devices
    from (
      select device.model_id, state.latest, state.rest from ${devicesIn(sql, customerId, spaceIds)} limit ${maxDevices}
    ) device
    cross join lateral (
      select key, json_typeof(value) as type from json_each(device.latest)
      union select key, jsonb_typeof(value -> 0) from jsonb_each(device.rest)
    ) point
    where point.type in ('number', 'boolean')
    group by point.key order by count(*) desc, point.key limit ${limit}`
  return await cancelWhen(signal, statement)
}

/** A device in the history, and since when its customer may read it. */
export interface Sender {
  number: number
  claimed_at: Date
}

/** The devices that have ever sent the data point. */
export async function listSenders(
  sql: Sql,
  customerId: string,
  spaceIds: string[],
  { key, limit }: { key: string; limit: number },
  signal: AbortSignal | undefined,
): Promise<Sender[]> {
  const statement = sql<Sender[]>`
    select device.number, device.claimed_at from ${devicesIn(sql, customerId, spaceIds)}
      and (state.latest -> ${key}::text is not null or state.rest ? ${key}::text)
    limit ${limit}`
  return await cancelWhen(signal, statement)
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
 * The last value of each device in each stretch of time, put together over the devices. One look-up in the index per
 * device and stretch, however many messages there are. As in `selectSeries`, the numbers are returned as text.
 */
export async function selectAggregate(
  sql: Sql,
  senders: Sender[],
  { key, from, to, bucketSeconds }: { key: string; from: Date; to: Date; bucketSeconds: number },
  signal: AbortSignal | undefined,
): Promise<AggregateRow[]> {
  const last = Math.ceil((to.getTime() - from.getTime()) / 1000 / bucketSeconds) - 1
  const statement = sql<{ at: Date; min: string; max: string; avg: string; sum: string; count: number }[]>`
    select stretch.start as at, min(point.value)::text as min, max(point.value)::text as max, avg(point.value)::text as avg,
      sum(point.value)::text as sum, count(*)::int as count
    from (
      select ${from}::timestamptz + make_interval(secs => ${bucketSeconds} * number) as start,
        least(${from}::timestamptz + make_interval(secs => ${bucketSeconds} * (number + 1)), ${to}) as "end"
      from generate_series(0, ${last}::int) as number
    ) stretch
    cross join unnest(
      ${senders.map(({ number }) => number)}::int[], ${senders.map(({ claimed_at }) => claimed_at)}::timestamptz[]
    ) as device (number, claimed_at)
    cross join lateral (
      select case json_typeof(message.value)
        when 'number' then message.value::text::numeric
        when 'boolean' then message.value::text::boolean::int
      end as value
      from (
        select telemetries -> ${key}::text as value from history
        where device_number = device.number and timestamp >= stretch.start and timestamp < stretch."end"
          and timestamp >= device.claimed_at and received_at >= device.claimed_at
          and telemetries -> ${key}::text is not null
        order by timestamp desc, sequence desc limit 1
      ) message
    ) point
    where point.value is not null
    group by stretch.start order by stretch.start`
  const rows = await cancelWhen(signal, statement)
  return rows.map(({ at, min, max, avg, sum, count }) => ({
    ...{ at, min: Number(min), max: Number(max), avg: Number(avg), sum: Number(sum), count },
  }))
}
