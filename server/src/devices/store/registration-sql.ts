import type { Sql } from '../../platform/database/sql.ts'
import type { DeviceRow } from './devices-sql.ts'

export type NewDevice = Pick<
  DeviceRow,
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
