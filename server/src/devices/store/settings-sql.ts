import type { Sql } from '../../platform/database/sql.ts'
import { belongsTo, type CustomerOwner } from './devices-sql.ts'
import type { DictionaryEntry } from './dictionaries.ts'

/** A claimed device, as far as its settings depend on it. */
export interface SettingsSubject {
  id: string
  customer_id: string
  model_id: string
  space_id: string | null
  sn: string
  name: string | null
  settings: string | null
  settings_differ: boolean
}

const columns = (sql: Sql) => sql`
  device.id, device.customer_id, device.model_id, device.space_id, device.sn, device.name, device.settings,
  device.settings_differ`

/** Those of the devices that the owner reaches. */
export async function findOwnSubjects(
  sql: Sql,
  owner: CustomerOwner,
  ids: readonly string[],
): Promise<SettingsSubject[]> {
  return await sql<SettingsSubject[]>`
    select ${columns(sql)} from devices device
    where device.id = any(${[...ids]}::uuid[]) and ${belongsTo(sql, owner)} and device.removed_at is null`
}

/** Those of the devices that somebody has. */
export async function findSubjects(sql: Sql, ids: readonly string[]): Promise<SettingsSubject[]> {
  return await sql<SettingsSubject[]>`
    select ${columns(sql)} from devices device
    where device.id = any(${[...ids]}::uuid[]) and device.customer_id is not null and device.removed_at is null`
}

/** Devices are locked before, in the order of ids. */
export async function updateSettingColumns(
  sql: Sql,
  devices: readonly { id: string; settings: string | null; settings_differ: boolean }[],
): Promise<void> {
  await sql`
    update devices device set settings = judged.settings, settings_differ = judged.settings_differ::boolean
    from unnest(
      ${devices.map(({ id }) => id)}::uuid[],
      ${devices.map(({ settings }) => settings)}::text[],
      ${devices.map(({ settings_differ }) => String(settings_differ))}::text[]
    ) as judged (id, settings, settings_differ)
    where device.id = judged.id and device.removed_at is null`
}

/** Of each model, the data points that customers may set. */
export async function listSettable(sql: Sql, modelIds: readonly string[]) {
  return await sql<{ model_id: string; settable: DictionaryEntry[] }[]>`
    select id as model_id, jsonb_path_query_array(dictionary, '$[*] ? (@.settable == true)') as settable
    from models where id = any(${[...modelIds]}::uuid[])`
}
