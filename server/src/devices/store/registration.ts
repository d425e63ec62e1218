import type { Sql } from '../../platform/database/sql.ts'
import type { Device } from './devices.ts'

export type NewDevice = Pick<
  Device,
  'id' | 'partner_id' | 'model_id' | 'mac' | 'sn' | 'firmware_version' | 'registered_at'
>

/** Undefined when a device of the model already has the MAC or the serial number. Waits for concurrent inserts. */
export async function insertDevice(sql: Sql, device: NewDevice): Promise<{ number: number } | undefined> {
  const row = { ...device, status_at: device.registered_at }
  const [inserted] = await sql<{ number: number }[]>`
    insert into devices ${sql(row, 'id', 'partner_id', 'model_id', 'mac', 'sn', 'firmware_version', 'registered_at', 'status_at')}
    on conflict do nothing
    returning number`
  return inserted
}

export async function insertDeviceState(
  sql: Sql,
  state: { device_id: string; number: number; key_digest: Buffer },
): Promise<void> {
  await sql`insert into device_states ${sql(state, 'device_id', 'number', 'key_digest')}`
}

export interface SameIdentity {
  id: string
  mac: string
  sn: string
}

/** The devices of the model with this MAC or serial number: at most one each. */
export async function findSameIdentity(
  sql: Sql,
  { model_id, mac, sn }: { model_id: string; mac: string; sn: string },
): Promise<SameIdentity[]> {
  return await sql<SameIdentity[]>`
    select id, mac, sn from devices
    where model_id = ${model_id} and (mac = ${mac} or sn = ${sn}) and removed_at is null`
}

/**
 * Decision 7.3: a new key for a device that has not used its current one, or whose replace window is open. The new key
 * counts as unused, so that a lost response can be retried again.
 */
export async function renewKey(sql: Sql, deviceId: string, keyDigest: Buffer, at: Date): Promise<boolean> {
  const { count } = await sql`
    update device_states set key_digest = ${keyDigest}, authenticated_at = null, replace_until = null
    where device_id = ${deviceId} and removed_at is null and (authenticated_at is null or replace_until > ${at})`
  return count === 1
}

export async function isRemoved(sql: Sql, deviceId: string): Promise<boolean> {
  const [row] = await sql`select from device_states where device_id = ${deviceId} and removed_at is null`
  return row === undefined
}
