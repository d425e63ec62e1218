import type { Sql } from '../../platform/database/sql.ts'
import { belongsTo, type CustomerOwner, type DeviceRow, deviceColumns } from './devices-sql.ts'

/** Those of the ids that are devices of this owner, removed ones too. Locked before in the order of ids. */
export async function findOwn(
  sql: Sql,
  owner: CustomerOwner,
  ids: string[],
): Promise<(DeviceRow & { removed_at: Date | null })[]> {
  return await sql<(DeviceRow & { removed_at: Date | null })[]>`
    select ${deviceColumns(sql, owner)}, device.removed_at
    from devices device
    where ${belongsTo(sql, owner)} and device.id = any(${ids}::uuid[])`
}

/** Those of the ids that are devices of this owner. */
export async function listIdsOfOwn(sql: Sql, owner: CustomerOwner, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select device.id from devices device where ${belongsTo(sql, owner)} and device.id = any(${[...ids]}::uuid[])`
  return rows.map(({ id }) => id)
}

export interface NameAndSpace {
  id: string
  name: string | null
  space_id: string | null
}

export async function updateNamesAndSpaces(
  sql: Sql,
  customerId: string,
  devices: NameAndSpace[],
  at: Date,
): Promise<void> {
  await sql`
    update devices device set name = line.name, space_id = line.space_id,
      moved_at = case when device.space_id is distinct from line.space_id then ${at} else device.moved_at end
    from unnest(
      ${devices.map(({ id }) => id)}::uuid[],
      ${devices.map(({ name }) => name)}::text[],
      ${devices.map(({ space_id }) => space_id)}::uuid[]
    ) as line (id, name, space_id)
    where device.id = line.id and device.customer_id = ${customerId} and device.removed_at is null`
}
