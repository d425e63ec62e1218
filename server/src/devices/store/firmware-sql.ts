import type { Sql } from '../../platform/database/sql.ts'

export interface FirmwareReport {
  device_id: string
  firmware_version: string
  /** The earlier of the message's timestamp and its arrival, in milliseconds. */
  at: number
}

export interface FirmwareChange {
  device_id: string
  partner_id: string
  customer_id: string | null
  model_id: string
  mac: string
  sn: string
  firmware_version: string
  previous_firmware_version: string
}

export async function listFirmware(sql: Sql, deviceIds: string[]) {
  return await sql<{ device_id: string; firmware_version: string }[]>`
    select id as device_id, firmware_version from devices where id = any(${deviceIds}::uuid[])`
}

/**
 * At most one report per device. A report older than the current one changes nothing: messages arrive late and are
 * repeated. Devices are locked in order of id, so that no two statements wait for each other.
 */
export async function updateReported(sql: Sql, reports: FirmwareReport[]): Promise<FirmwareChange[]> {
  return await sql<FirmwareChange[]>`
    with changed as materialized (
      select device.id, device.firmware_version as previous, report.firmware_version, to_timestamp(report.at / 1000) as at
      from unnest(
        ${reports.map(({ device_id }) => device_id)}::uuid[],
        ${reports.map(({ firmware_version }) => firmware_version)}::text[],
        ${reports.map(({ at }) => at)}::float8[]
      ) as report (device_id, firmware_version, at)
      join devices device on device.id = report.device_id
      where device.removed_at is null and device.firmware_version <> report.firmware_version
        and (device.firmware_at is null or device.firmware_at <= to_timestamp(report.at / 1000))
      order by device.id
      for no key update of device
    )
    update devices device set firmware_version = changed.firmware_version, firmware_at = changed.at
    from changed where device.id = changed.id
    returning device.id as device_id, device.partner_id, device.customer_id, device.model_id, device.mac, device.sn,
      device.firmware_version, changed.previous as previous_firmware_version`
}

/** A registration overrides every report before it; undefined when the version is the same. */
export async function updateRegistered(
  sql: Sql,
  deviceId: string,
  firmwareVersion: string,
): Promise<FirmwareChange | undefined> {
  const [row] = await sql<FirmwareChange[]>`
    with changed as materialized (
      select id, firmware_version as previous from devices
      where id = ${deviceId} and firmware_version <> ${firmwareVersion}
      for no key update
    )
    update devices device set firmware_version = ${firmwareVersion}, firmware_at = null
    from changed where device.id = changed.id
    returning device.id as device_id, device.partner_id, device.customer_id, device.model_id, device.mac, device.sn,
      device.firmware_version, changed.previous as previous_firmware_version`
  return row
}
