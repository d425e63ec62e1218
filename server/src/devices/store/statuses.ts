import type { Sql } from '../../platform/database/sql.ts'

/** The status a device has now, and how often it had changed by then. */
export interface CarriedStatus {
  device_id: string
  status: string
  number: number
  /** Milliseconds. */
  at: number
}

/**
 * Carries statuses over from the telemetry (decision 7.53); one per device. An older one never replaces a newer one, so
 * that any process may repeat this at any time. Devices are locked in order of id.
 */
export async function carryStatuses(sql: Sql, statuses: readonly CarriedStatus[]): Promise<void> {
  await sql`
    with behind as materialized (
      select device.id, carried.status, carried.number, to_timestamp(carried.at / 1000) as at
      from unnest(
        ${statuses.map(({ device_id }) => device_id)}::uuid[],
        ${statuses.map(({ status }) => status)}::text[],
        ${statuses.map(({ number }) => number)}::int[],
        ${statuses.map(({ at }) => at)}::float8[]
      ) as carried (device_id, status, number, at)
      join devices device on device.id = carried.device_id
      where device.status_number < carried.number
      order by device.id
      for no key update of device
    )
    update devices device set status = behind.status, status_at = behind.at, status_number = behind.number
    from behind where device.id = behind.id and device.status_number < behind.number`
}

/** What the events of a status change say about its device. */
export interface StatusSubject {
  device_id: string
  partner_id: string
  model_id: string
  mac: string
  sn: string
  /** Null once it is removed. */
  customer_id: string | null
}

export async function listStatusSubjects(sql: Sql, deviceIds: readonly string[]): Promise<StatusSubject[]> {
  return await sql<StatusSubject[]>`
    select id as device_id, partner_id, model_id, mac, sn, case when removed_at is null then customer_id end as customer_id
    from devices where id = any(${[...deviceIds]}::uuid[])`
}

/** After how many seconds of silence each device is offline. */
export async function listThresholds(sql: Sql, deviceIds: readonly string[]) {
  return await sql<{ device_id: string; seconds: number }[]>`
    select device.id as device_id, model.offline_after_seconds as seconds
    from devices device join models model on model.id = device.model_id
    where device.id = any(${[...deviceIds]}::uuid[])`
}

/** The devices of a model, by id; removed ones are left out. */
export async function listOfModel(sql: Sql, modelId: string, { after, limit }: { after: string; limit: number }) {
  const rows = await sql<{ id: string }[]>`
    select page.id
    from unnest(array['never_seen', 'online', 'offline', 'error']) as wanted (status)
    cross join unnest(array[true, false]) as side (unclaimed)
    cross join lateral (
      select device.id from devices device
      where device.model_id = ${modelId} and (device.claimed_at is null) = side.unclaimed
        and device.status = wanted.status and device.removed_at is null and device.id > ${after}
      order by device.id limit ${limit}
    ) page
    order by page.id limit ${limit}`
  return rows.map(({ id }) => id)
}
