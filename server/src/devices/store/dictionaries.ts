import { cancelWhen, type Sql } from '../../platform/database/sql.ts'
import { belongsTo, type Owner } from './devices-sql.ts'

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
  settable?: boolean
}

/** The dictionary of a partner's model, or of a model of which the customer has a device. */
export async function findDictionary(sql: Sql, owner: Owner, modelId: string): Promise<DictionaryEntry[] | undefined> {
  const [row] = await sql<{ dictionary: DictionaryEntry[] }[]>`
    select dictionary from models
    where id = ${modelId} and ${
      'partner_id' in owner
        ? sql`partner_id = ${owner.partner_id}`
        : sql`exists (
            select from devices device
            where ${belongsTo(sql, owner)} and device.model_id = ${modelId} and device.removed_at is null)`
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

/**
 * The 100 newest devices of a model that have sent something. The limits are part of the text, as in `searchDevices`.
 */
export async function listNewestSenders(sql: Sql, modelId: string, signal: AbortSignal | undefined): Promise<string[]> {
  const statement = sql<{ id: string }[]>`
    select page.id
    from unnest(array['online', 'offline', 'error']) as wanted (status)
    cross join unnest(array[true, false]) as side (unclaimed)
    cross join lateral (
      select device.id from devices device
      where device.model_id = ${modelId} and (device.claimed_at is null) = side.unclaimed
        and device.status = wanted.status and device.removed_at is null
      order by device.id desc limit 100
    ) page
    order by page.id desc limit 100`
  return (await cancelWhen(signal, statement)).map(({ id }) => id)
}
