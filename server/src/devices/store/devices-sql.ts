import type { Fragment, Sql } from '../../platform/database/sql.ts'
import type { EffectiveStatus } from '../telemetry-store/states.ts'

export type { EffectiveStatus } from '../telemetry-store/states.ts'

/** A device as the directory has it: its status may be a moment behind (decision 7.53). */
export interface DeviceRow {
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
}

/** Of a customer's devices those within some spaces and all below them, for whoever may reach no others; null: all. */
export interface CustomerOwner {
  customer_id: string
  within?: readonly string[] | null
}

export type Owner = CustomerOwner | { partner_id: string }

export function belongsTo(sql: Sql, owner: Owner): Fragment {
  return 'customer_id' in owner
    ? sql`device.customer_id = ${owner.customer_id} ${isWithin(sql, owner)}`
    : sql`device.partner_id = ${owner.partner_id}`
}

/** For few devices: a list is filtered by the spaces themselves, which the indexes have. */
function isWithin(sql: Sql, { within }: CustomerOwner): Fragment {
  return within ? sql`and spaces_above(device.space_id) && ${[...within]}::uuid[]` : sql``
}

/** Tags and note are not even read for the partner. */
export function deviceColumns(sql: Sql, owner: Owner) {
  return sql`
    device.id, device.partner_id, device.model_id, device.mac, device.sn, device.firmware_version, device.registered_at,
    device.customer_id, device.name, device.space_id, device.claimed_at, device.status, device.status_at, ${
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

export async function findDevice(sql: Sql, owner: Owner, id: string): Promise<DeviceRow | undefined> {
  const [row] = await sql<DeviceRow[]>`
    select ${deviceColumns(sql, owner)} from devices device
    where device.id = ${id} and ${belongsTo(sql, owner)} and device.removed_at is null`
  return row
}

export interface DeviceChange {
  name?: string | null | undefined
  space_id?: string | null | undefined
  /** All that it then has. */
  tags?: string[] | undefined
  note?: string | null | undefined
}

/** The device is locked, and the owner was checked under the lock. */
export async function updateDevice(sql: Sql, id: string, change: DeviceChange, at: Date): Promise<void> {
  const moves = change.space_id !== undefined
  await sql`
    update devices set
      name = case when ${change.name !== undefined} then ${change.name ?? null} else name end,
      space_id = case when ${moves} then ${change.space_id ?? null}::uuid else space_id end,
      moved_at = case when ${moves} and space_id is distinct from ${change.space_id ?? null}::uuid then ${at} else moved_at end
    where id = ${id} and removed_at is null`
}

/** The customer's own tags and notes are deleted. */
export async function markRemoved(sql: Sql, ids: string[], at: Date): Promise<void> {
  await sql`update devices set removed_at = ${at}, space_id = null, settings = null, settings_differ = false
    where id = any(${ids}::uuid[])`
  await sql`delete from device_tags where device_id = any(${ids}::uuid[])`
  await sql`delete from device_notes where device_id = any(${ids}::uuid[])`
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
  return count === 1
}

/** In order of id, like every statement that locks many devices: what carries statuses over locks them so too. */
export async function lockDevices(sql: Sql, ids: string[]): Promise<void> {
  await sql`select from devices where id = any(${ids}::uuid[]) order by id for no key update`
}

/** A device in the history, and what bounds what its owner may read there. Removed devices are found too. */
export interface HistorySubject {
  number: number
  status: EffectiveStatus
  registered_at: Date
  claimed_at: Date | null
  removed_at: Date | null
}

export async function findHistorySubject(sql: Sql, owner: Owner, id: string): Promise<HistorySubject | undefined> {
  const [row] = await sql<HistorySubject[]>`
    select number, status, registered_at, claimed_at, removed_at from devices device
    where id = ${id} and ${belongsTo(sql, owner)}`
  return row
}
