import type { Sql } from '../../platform/database/sql.ts'
import { belongsTo, type Device, deviceColumns, type EffectiveStatus, type Owner } from './devices.ts'

export interface DeviceFilter {
  space_ids?: string[] | undefined
  model_id?: string | undefined
  status?: EffectiveStatus | undefined
  claimed?: boolean | undefined
}

const everyStatus: EffectiveStatus[] = ['never_seen', 'online', 'offline', 'error']

/** In order of id: merges one index range per combination of the columns before the id in the index. */
export async function listDevices(
  sql: Sql,
  owner: Owner,
  filter: DeviceFilter,
  { after, limit }: { after: string; limit: number },
): Promise<Device[]> {
  const { space_ids, model_id, status, claimed } = filter
  const statuses = status ? [status] : everyStatus
  const unclaimed = claimed === undefined ? [true, false] : [!claimed]
  const byCustomer = 'customer_id' in owner
  return await sql<Device[]>`
    select ${deviceColumns(sql)}
    from (
      select page.id
      from unnest(${statuses}::text[]) as wanted (status)
      ${byCustomer ? sql`` : sql`cross join unnest(${unclaimed.map(String)}::text[]::boolean[]) as side (unclaimed)`}
      ${space_ids ? sql`cross join unnest(${space_ids}::uuid[]) as wanted_space (space_id)` : sql``}
      cross join lateral (
        select device.id from devices device
        where ${belongsTo(sql, owner)} and device.status = wanted.status and device.removed_at is null
          and device.id > ${after}
          ${byCustomer ? sql`` : sql`and (device.claimed_at is null) = side.unclaimed`}
          ${byCustomer && claimed === false ? sql`and false` : sql``}
          ${space_ids ? sql`and device.space_id = wanted_space.space_id` : sql``}
          ${model_id ? sql`and device.model_id = ${model_id}` : sql``}
        order by device.id limit ${limit}
      ) page
      order by page.id limit ${limit}
    ) page
    join devices device on device.id = page.id
    join device_states state on state.device_id = device.id
    order by device.id`
}

/** Counting stops here, so that an overview costs the same for a million devices as for a hundred thousand. */
export const maxCounted = 100_000

export async function countDevices(sql: Sql, customerId: string): Promise<Record<EffectiveStatus, number>> {
  const rows = await sql<{ status: EffectiveStatus; count: number }[]>`
    select wanted.status, counted.count
    from unnest(${everyStatus}::text[]) as wanted (status)
    cross join lateral (
      select count(*)::int as count from (
        select from devices
        where customer_id = ${customerId} and devices.status = wanted.status and removed_at is null
        limit ${maxCounted}) as device) as counted`
  return Object.fromEntries(rows.map(({ status, count }) => [status, count])) as Record<EffectiveStatus, number>
}
