import { concerning, type Sql } from '../../platform/database/sql.ts'
import { bucketOf } from '../bucket.ts'
import { wantedDevices } from './devices-wanted.ts'
import { inBuckets } from './lanes.ts'
import { values } from './state-values.ts'

/** What a customer wants of its device. */
export interface SettingsRow {
  device_id: string
  customer_id: string
  model_id: string
  version: number
  /** By key: the value, since which version it is wanted, and what the device said about it. */
  desired: Record<string, unknown>
  source: 'customer' | 'device' | 'template'
  changed_at: Date
  changed_by: unknown
  reported_version: number | null
  reported_at: Date | null
  /** As device lists have it. */
  state: string | null
}

/** With the values that the device reports for the same keys. */
export interface ReportedSettingsRow extends SettingsRow {
  reported: Record<string, unknown>
}

const columns = (sql: Sql) => sql`
  settings.device_id, settings.customer_id, settings.model_id, settings.version, settings.desired, settings.source,
  settings.changed_at, settings.changed_by, settings.reported_version, settings.reported_at, settings.state`

/** Of those that have one. */
export async function listSettings(sql: Sql, deviceIds: readonly string[]): Promise<ReportedSettingsRow[]> {
  return await sql<ReportedSettingsRow[]>`
    select ${columns(sql)}, coalesce((
      select jsonb_object_agg(point.key, point.value) from jsonb_each(${values(sql)}) point
      where settings.desired ? point.key
    ), '{}') as reported
    from ${wantedDevices(sql, deviceIds)}
    join device_settings settings on settings.bucket = wanted.bucket and settings.device_id = wanted.device_id
      ${inBuckets(sql, sql`settings`, deviceIds)}
    join device_states state on state.bucket = wanted.bucket and state.device_id = wanted.device_id
      ${inBuckets(sql, sql`state`, deviceIds)}`
}

/** What devices are sent. */
export async function listConfigs(sql: Sql, deviceIds: readonly string[]) {
  return await sql<Pick<SettingsRow, 'device_id' | 'version' | 'desired' | 'changed_at'>[]>`
    select settings.device_id, settings.version, settings.desired, settings.changed_at
    from ${wantedDevices(sql, deviceIds)}
    join device_settings settings on settings.bucket = wanted.bucket and settings.device_id = wanted.device_id
      ${inBuckets(sql, sql`settings`, deviceIds)}`
}

/** Of devices whose states are locked; with the version in the state, from which every message learns of it. */
export async function writeSettings(sql: Sql, documents: readonly SettingsRow[]): Promise<void> {
  const ids = documents.map(({ device_id }) => device_id)
  const buckets = ids.map(bucketOf)
  const written = sql`
    insert into device_settings (bucket, device_id, customer_id, model_id, version, desired, source, changed_at, changed_by,
      reported_version, reported_at, state)
    select bucket, device_id, customer_id, model_id, version, desired::jsonb, source, changed_at, changed_by::jsonb,
      reported_version, reported_at, state
    from unnest(
      ${buckets}::smallint[], ${ids}::uuid[],
      ${documents.map(({ customer_id }) => customer_id)}::uuid[],
      ${documents.map(({ model_id }) => model_id)}::uuid[],
      ${documents.map(({ version }) => version)}::int[],
      ${documents.map(({ desired }) => JSON.stringify(desired))}::text[],
      ${documents.map(({ source }) => source)}::text[],
      ${documents.map(({ changed_at }) => changed_at)}::timestamptz[],
      ${documents.map(({ changed_by }) => JSON.stringify(changed_by))}::text[],
      ${documents.map(({ reported_version }) => reported_version)}::int[],
      ${documents.map(({ reported_at }) => reported_at)}::timestamptz[],
      ${documents.map(({ state }) => state)}::text[]
    ) as document (bucket, device_id, customer_id, model_id, version, desired, source, changed_at, changed_by,
      reported_version, reported_at, state)
    on conflict (bucket, device_id) do update set version = excluded.version, desired = excluded.desired,
      source = excluded.source, changed_at = excluded.changed_at, changed_by = excluded.changed_by,
      reported_version = excluded.reported_version, reported_at = excluded.reported_at, state = excluded.state`
  await concerning(sql, buckets, written)
  await sql`
    update device_states state set config_version = document.version
    from unnest(
      ${buckets}::smallint[], ${ids}::uuid[], ${documents.map(({ version }) => version)}::int[]
    ) as document (bucket, device_id, version)
    where state.bucket = document.bucket and state.device_id = document.device_id
      and state.config_version is distinct from document.version ${inBuckets(sql, sql`state`, ids)}`
}

/** Of devices whose states are locked. */
export async function setSettingsStates(
  sql: Sql,
  devices: readonly { device_id: string; state: string | null }[],
): Promise<void> {
  const ids = devices.map(({ device_id }) => device_id)
  await sql`
    update device_settings settings set state = judged.state
    from unnest(
      ${ids.map(bucketOf)}::smallint[], ${ids}::uuid[], ${devices.map(({ state }) => state)}::text[]
    ) as judged (bucket, device_id, state)
    where settings.bucket = judged.bucket and settings.device_id = judged.device_id
      ${inBuckets(sql, sql`settings`, ids)}`
}

/** Of devices that are removed; the version stays in their states, so that none is ever given twice. */
export async function deleteSettings(sql: Sql, deviceIds: readonly string[]): Promise<void> {
  await sql`
    delete from device_settings settings using ${wantedDevices(sql, deviceIds)}
    where settings.bucket = wanted.bucket and settings.device_id = wanted.device_id
      ${inBuckets(sql, sql`settings`, deviceIds)}`
}
