import { cancelWhen, type Sql } from '../../platform/database/sql.ts'
import type { Owner } from './devices.ts'

export type Value = number | string | boolean

export interface ValueMeaning {
  value: Value
  label?: string
  alarm?: boolean
}

/** What a data point of a model means. */
export interface DictionaryEntry {
  key: string
  type: 'number' | 'boolean' | 'text'
  label?: string
  description?: string
  unit?: string
  decimals?: number
  min?: number
  max?: number
  values?: ValueMeaning[]
  chart?: boolean
}

/** The dictionary of a partner's model, or of a model of which the customer has a device. */
export async function findDictionary(sql: Sql, owner: Owner, modelId: string): Promise<DictionaryEntry[] | undefined> {
  const [row] = await sql<{ dictionary: DictionaryEntry[] }[]>`
    select dictionary from models
    where id = ${modelId} and ${
      'partner_id' in owner
        ? sql`partner_id = ${owner.partner_id}`
        : sql`exists (
            select from devices
            where customer_id = ${owner.customer_id} and model_id = ${modelId} and removed_at is null)`
    }`
  return row?.dictionary
}

export async function updateDictionary(
  sql: Sql,
  modelId: string,
  entries: readonly DictionaryEntry[],
): Promise<DictionaryEntry[]> {
  const [row] = await sql<{ dictionary: DictionaryEntry[] }[]>`
    update models set dictionary = ${sql.json(entries)} where id = ${modelId} returning dictionary`
  return row!.dictionary
}

/** The dictionary of a device's model; who owns the device was checked before. */
export async function findDictionaryOfDevice(sql: Sql, deviceId: string): Promise<DictionaryEntry[]> {
  const [row] = await sql<{ dictionary: DictionaryEntry[] }[]>`
    select model.dictionary from devices device join models model on model.id = device.model_id
    where device.id = ${deviceId}`
  return row?.dictionary ?? []
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

/**
 * The data points in the states of the 100 newest devices that have sent something: those that most devices have come
 * first. The limits are part of the text, as in `searchDevices`.
 */
export async function selectSeenDataPoints(
  sql: Sql,
  modelId: string,
  signal: AbortSignal | undefined,
): Promise<SeenDataPoint[]> {
  const statement = sql<(Omit<SeenDataPoint, 'min' | 'max'> & { min: string | null; max: string | null })[]>`
    with newest as materialized (
      select page.id
      from unnest(array['online', 'offline', 'error']) as wanted (status)
      cross join unnest(array[true, false]) as side (unclaimed)
      cross join lateral (
        select device.id from devices device
        where device.model_id = ${modelId} and (device.claimed_at is null) = side.unclaimed
          and device.status = wanted.status and device.removed_at is null
        order by device.id desc limit 100
      ) page
      order by page.id desc limit 100
    )
    select point.key, count(*)::int as devices,
      count(*) filter (where point.type = 'number')::int as numbers,
      count(*) filter (where point.type = 'boolean')::int as booleans,
      count(*) filter (where point.type = 'string')::int as texts,
      min(point.number)::text as min, max(point.number)::text as max,
      max(scale(trim_scale(point.number)))::int as scale,
      coalesce((array_agg(distinct point.text) filter (where point.text is not null))[1:9], '{}') as examples
    from newest
    join device_states state on state.device_id = newest.id
    cross join lateral (
      select key, jsonb_typeof(value) as type,
        case jsonb_typeof(value) when 'number' then value::numeric end as number,
        case when jsonb_typeof(value) = 'string' and length(value #>> '{}') <= 40 then value #>> '{}' end as text
      from jsonb_each(
        coalesce((select jsonb_object_agg(key, value -> 0) from jsonb_each(state.rest)), '{}')
          || coalesce(state.latest::jsonb, '{}'))
    ) point
    group by point.key order by devices desc, point.key limit 200`
  const rows = await cancelWhen(signal, statement)
  return rows.map((row) => ({ ...row, min: toNumber(row.min), max: toNumber(row.max) }))
}

function toNumber(text: string | null): number | null {
  return text === null ? null : Number(text)
}
