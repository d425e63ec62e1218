import type { Sql } from '../../platform/database/sql.ts'

export interface DeviceProgress {
  model_added: boolean
  device_registered: boolean
  telemetry_received: boolean
  device_claimed: boolean
}

/** Each is one look at an index, however many devices there are. */
export async function findDeviceProgress(sql: Sql, partnerId: string): Promise<DeviceProgress> {
  const devices = sql`select 1 from devices where partner_id = ${partnerId} and removed_at is null`
  const [row] = await sql<DeviceProgress[]>`
    select exists (select 1 from models where partner_id = ${partnerId}) as model_added,
      exists (${devices}) as device_registered,
      exists (${devices} and (claimed_at is null) in (true, false) and status in ('online', 'offline', 'error')) as telemetry_received,
      exists (${devices} and (claimed_at is null) = false) as device_claimed`
  return row!
}
