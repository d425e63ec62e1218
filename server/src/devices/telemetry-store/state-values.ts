import { cancelWhen, type Fragment, type Sql } from '../../platform/database/sql.ts'
import { bucketOf } from '../bucket.ts'
import { isDevice, wantedDevices } from './devices-wanted.ts'
import { inBuckets } from './lanes.ts'

/** The names of every data point in a device's state, and whether it ever removed one. */
export async function listDataPoints(sql: Sql, deviceId: string): Promise<{ keys: string[]; removes: boolean }> {
  const rows = await sql<{ key: string; removes: boolean }[]>`
    select key collate "default" as key, ${hasRemoved(sql)} as removes
    from device_states state left join lateral jsonb_object_keys(${values(sql)}) as key on true
    where ${isDevice(sql, deviceId)}
    order by 1`
  return { keys: rows.flatMap(({ key }) => key ?? []), removes: rows[0]?.removes ?? false }
}

/** A device and its model. */
export interface DeviceOfModel {
  id: string
  model_id: string
}

const idsOf = (devices: readonly DeviceOfModel[]) => devices.map(({ id }) => id)

/** Rows of (bucket, device_id, model_id). */
function devicesOfModels(sql: Sql, devices: readonly DeviceOfModel[]): Fragment {
  return sql`unnest(
    ${devices.map(({ id }) => bucketOf(id))}::smallint[], ${devices.map(({ id }) => id)}::uuid[],
    ${devices.map(({ model_id }) => model_id)}::uuid[]
  ) as wanted (bucket, device_id, model_id)`
}

/** The newest value of every data point that was not removed, as one object; as in `mergeState`. */
export const values = (sql: Sql) => sql`(
  jsonb_strip_nulls(coalesce((
    select jsonb_object_agg(key, value -> 0) from jsonb_each(state.rest)
    where state.latest -> '' is null and (
      state.rest -> '' is null or ((value -> 1)::bigint, (value -> 2)::bigint)
        >= ((state.rest -> '' -> 1)::bigint, (state.rest -> '' -> 2)::bigint)
    )
  ), '{}') || coalesce(state.latest::jsonb, '{}')) - '')`

/** Whether the device ever replaced its state, or removed a data point (decision 7.98): its history may have others. */
const hasRemoved = (sql: Sql) => sql`(
  state.latest -> '' is not null or state.rest ? '' or state.rest @? '$.*[0] ? (@ == null)'
    or exists (select from json_each(state.latest) point where json_typeof(point.value) = 'null')
)`

export interface DataPoint {
  key: string
  type: 'number' | 'boolean'
  model_id: string
  devices: number
}

/** The names of the numbers and booleans in the states of the devices, the most common first. */
export async function countDataPoints(
  sql: Sql,
  devices: readonly DeviceOfModel[],
  limit: number,
  signal: AbortSignal | undefined,
): Promise<DataPoint[]> {
  const statement = sql<DataPoint[]>`
    select point.key, max(point.type) as type, mode() within group (order by point.model_id) as model_id,
      count(*)::int as devices
    from (
      select wanted.model_id, point.key, point.type
      from ${devicesOfModels(sql, devices)}
      join device_states state on state.bucket = wanted.bucket and state.device_id = wanted.device_id
        ${inBuckets(sql, sql`state`, idsOf(devices))}
      cross join lateral (select key, jsonb_typeof(value) as type from jsonb_each(${values(sql)})) point
      where point.type in ('number', 'boolean')
      offset 0
    ) point
    group by point.key order by count(*) desc, point.key limit ${limit}`
  return await cancelWhen(signal, statement)
}

/** Those of the devices that have ever sent the data point; where one replaced its state, only its history knows. */
export async function listSenders(
  sql: Sql,
  deviceIds: readonly string[],
  key: string,
  signal: AbortSignal | undefined,
): Promise<{ device_id: string }[]> {
  const statement = sql<{ device_id: string }[]>`
    select state.device_id
    from ${wantedDevices(sql, deviceIds)}
    join device_states state on state.bucket = wanted.bucket and state.device_id = wanted.device_id
      ${inBuckets(sql, sql`state`, deviceIds)}
    where state.latest -> ${key}::text is not null or state.rest ? ${key}::text
      or state.latest -> '' is not null or state.rest ? ''`
  return await cancelWhen(signal, statement)
}

/** What the newest devices of a model have in one data point. */
export interface SeenDataPoint {
  key: string
  devices: number
  numbers: number
  booleans: number
  texts: number
  min: number | null
  max: number | null
  /** The most digits behind a decimal point. */
  scale: number | null
  /** Short texts, each once. */
  examples: string[]
}

/** The data points in the states of the devices: those that most of them have come first. */
export async function selectSeenDataPoints(
  sql: Sql,
  deviceIds: readonly string[],
  signal: AbortSignal | undefined,
): Promise<SeenDataPoint[]> {
  const statement = sql<(Omit<SeenDataPoint, 'min' | 'max'> & { min: string | null; max: string | null })[]>`
    select point.key, count(*)::int as devices,
      count(*) filter (where point.type = 'number')::int as numbers,
      count(*) filter (where point.type = 'boolean')::int as booleans,
      count(*) filter (where point.type = 'string')::int as texts,
      min(point.number)::text as min, max(point.number)::text as max,
      max(scale(trim_scale(point.number)))::int as scale,
      coalesce((array_agg(distinct point.text) filter (where point.text is not null))[1:9], '{}') as examples
    from (
      select point.*
      from ${wantedDevices(sql, deviceIds)}
      join device_states state on state.bucket = wanted.bucket and state.device_id = wanted.device_id
        ${inBuckets(sql, sql`state`, deviceIds)}
      cross join lateral (
        select key, jsonb_typeof(value) as type,
          case jsonb_typeof(value) when 'number' then value::numeric end as number,
          case when jsonb_typeof(value) = 'string' and length(value #>> '{}') <= 40 then value #>> '{}' end as text
        from jsonb_each(${values(sql)})
      ) point
      offset 0
    ) point
    group by point.key order by count(*) desc, point.key limit 200`
  const rows = await cancelWhen(signal, statement)
  return rows.map((row) => ({ ...row, min: toNumber(row.min), max: toNumber(row.max) }))
}

function toNumber(text: string | null): number | null {
  return text === null ? null : Number(text)
}

/** By model and key, the values that are alarms. */
export type AlarmingValues = Record<string, Record<string, unknown[]>>

export interface Alarm {
  device_id: string
  /** `since`: milliseconds; null where no message has said so, as when the dictionary was changed after it. */
  alarm: { key: string; value: number | string | boolean; since: number | null }
}

/**
 * Those of the devices whose state has an alarm. A partner may call ten thousand values an alarm: each state is read once
 * and its values are looked up, whatever the plan.
 */
export async function listAlarms(
  sql: Sql,
  devices: readonly DeviceOfModel[],
  alarming: AlarmingValues,
  signal?: AbortSignal,
): Promise<Alarm[]> {
  const statement = sql<Alarm[]>`
    select state.device_id,
      jsonb_build_object('key', alarm.key, 'value', alarm.value, 'since', state.alarms -> alarm.key) as alarm
    from ${devicesOfModels(sql, devices)}
    join (
      select key::uuid as model_id, value as alarming from jsonb_each(${sql.json(alarming)}::jsonb) offset 0
    ) alarms on alarms.model_id = wanted.model_id
    join device_states state on state.bucket = wanted.bucket and state.device_id = wanted.device_id
      ${inBuckets(sql, sql`state`, idsOf(devices))}
    cross join lateral (
      select key, value from jsonb_each(${values(sql)})
      where alarms.alarming -> key @> value
      order by key limit 1
    ) alarm`
  return await cancelWhen(signal, statement)
}
