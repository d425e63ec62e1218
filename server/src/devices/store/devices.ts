import type { Sql } from '../../platform/database/sql.ts'

export type EffectiveStatus = 'never_seen' | 'online' | 'offline' | 'error'

export interface Device {
  id: string
  partner_id: string
  model_id: string
  mac: string
  sn: string
  firmware_version: string
  registered_at: Date
  customer_id: string | null
  /** Set by the customer; name, space, tags and note are never sent to the partner (contract 1.5). */
  name: string | null
  space_id: string | null
  /** In order; of the customer only, as the name is. */
  tags: string[]
  note: string | null
  claimed_at: Date | null
  status: EffectiveStatus
  status_at: Date
  last_seen_at: Date | null
  replace_until: Date | null
}

export type Owner = { customer_id: string } | { partner_id: string }

export function belongsTo(sql: Sql, owner: Owner) {
  return 'customer_id' in owner
    ? sql`device.customer_id = ${owner.customer_id}`
    : sql`device.partner_id = ${owner.partner_id}`
}

/** Tags and note are not even read for the partner. */
export function deviceColumns(sql: Sql, owner: Owner) {
  return sql`
    device.id, device.partner_id, device.model_id, device.mac, device.sn, device.firmware_version, device.registered_at,
    device.customer_id, device.name, device.space_id, device.claimed_at, device.status, device.status_at,
    state.seen_at as last_seen_at, state.replace_until, ${
      'customer_id' in owner
        ? sql`
            array(
              select tagged.tag from device_tags tagged
              where tagged.device_id = device.id and tagged.customer_id = device.customer_id order by tagged.tag
            ) as tags,
            (select noted.note from device_notes noted
              where noted.device_id = device.id and noted.customer_id = device.customer_id) as note`
        : sql`'{}'::text[] as tags, null as note`
    }`
}

export async function findDevice(sql: Sql, owner: Owner, id: string): Promise<Device | undefined> {
  const [row] = await sql<Device[]>`
    select ${deviceColumns(sql, owner)} from devices device join device_states state on state.device_id = device.id
    where device.id = ${id} and ${belongsTo(sql, owner)} and device.removed_at is null`
  return row
}

export interface StateRow {
  latest: Record<string, unknown> | null
  latest_at: Date
  rest: Record<string, [value: unknown, at: number, arrivedAt: number]>
}

export async function findState(sql: Sql, id: string): Promise<StateRow | undefined> {
  const [row] = await sql<StateRow[]>`
    select latest, case when latest is not null then latest_at end as latest_at, rest
    from device_states where device_id = ${id}`
  return row
}

/** Always locked before the device's own row, so that no two transactions wait for each other. */
export async function lockState(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`select from device_states where device_id = ${id} and removed_at is null for update`
  return rows.length === 1
}

export interface DeviceChange {
  name?: string | null | undefined
  space_id?: string | null | undefined
  /** All that it then has. */
  tags?: string[] | undefined
  note?: string | null | undefined
}

export async function updateDevice(sql: Sql, owner: Owner, id: string, change: DeviceChange): Promise<void> {
  await sql`
    update devices device set
      name = case when ${change.name !== undefined} then ${change.name ?? null} else name end,
      space_id = case when ${change.space_id !== undefined} then ${change.space_id ?? null}::uuid else space_id end
    where device.id = ${id} and ${belongsTo(sql, owner)} and device.removed_at is null`
}

/** The key stays, so that a device that presents it gets 410 and not 401; the customer's own tags and notes do not. */
export async function markRemoved(sql: Sql, ids: string[], at: Date): Promise<void> {
  await sql`update device_states set removed_at = ${at}, replace_until = null where device_id = any(${ids}::uuid[])`
  await sql`update devices set removed_at = ${at}, space_id = null where id = any(${ids}::uuid[])`
  await sql`delete from offline_deadlines where device_id = any(${ids}::uuid[])`
  await sql`delete from device_tags where device_id = any(${ids}::uuid[])`
  await sql`delete from device_notes where device_id = any(${ids}::uuid[])`
}

export async function openWindow(sql: Sql, id: string, until: Date): Promise<void> {
  await sql`update device_states set replace_until = ${until} where device_id = ${id}`
}

export async function findUnclaimed(
  sql: Sql,
  { model_id, mac, sn }: { model_id: string; mac: string; sn: string },
): Promise<{ id: string } | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select id from devices
    where model_id = ${model_id} and mac = ${mac} and sn = ${sn} and removed_at is null and customer_id is null`
  return row
}

export interface Claimed {
  customer_id: string
  name: string | null
  space_id: string | null
  claimed_at: Date
}

/** False when another claim was faster. */
export async function claim(
  sql: Sql,
  id: string,
  { customer_id, name, space_id, claimed_at }: Claimed,
): Promise<boolean> {
  const { count } = await sql`
    update devices set customer_id = ${customer_id}, name = ${name}, space_id = ${space_id}, claimed_at = ${claimed_at}
    where id = ${id} and customer_id is null and removed_at is null`
  if (count === 1) await sql`update device_states set customer_id = ${customer_id} where device_id = ${id}`
  return count === 1
}

/** The names of every data point in a device's state. */
export async function listDataPoints(sql: Sql, id: string): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select key from device_states cross join lateral jsonb_object_keys(rest) as key where device_id = ${id}
    union
    select key from device_states cross join lateral json_object_keys(latest) as key where device_id = ${id}
    order by key`
  return rows.map(({ key }) => key)
}
