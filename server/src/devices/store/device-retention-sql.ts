import { type Age, agedBefore, type Sql } from '../../platform/database/sql.ts'
import { type DeviceRow, deviceColumns } from './devices-sql.ts'

export type { Age } from '../../platform/database/sql.ts'

export async function listLongRemoved(sql: Sql, age: Age, limit: number): Promise<{ id: string; number: number }[]> {
  return await sql<{ id: string; number: number }[]>`
    select id, number from devices where removed_at < ${agedBefore(sql, age)} order by removed_at limit ${limit}`
}

/** Tags, notes and texts went with the removal. */
export async function deleteLongRemoved(sql: Sql, ids: string[], age: Age): Promise<number> {
  const { count } = await sql`
    delete from devices where id = any(${ids}::uuid[]) and removed_at < ${agedBefore(sql, age)}`
  return count
}

/** A position in the order of `listUnused`. */
export interface UnusedCursor {
  model_id: string
  id: string
}

const smallest = '00000000-0000-0000-0000-000000000000'
export const firstUnused: UnusedCursor = { model_id: smallest, id: smallest }

/**
 * Devices that look unused, by model and id: a range of one index for each model, as ids are in the order of their
 * registration. `before` bounds the range; the age decides. By pairs, or Postgres might walk all ids of all models.
 */
export async function listUnused(
  sql: Sql,
  age: Age,
  { before, after, limit }: { before: string; after: UnusedCursor; limit: number },
): Promise<UnusedCursor[]> {
  return await sql<UnusedCursor[]>`
    select model.id as model_id, device.id
    from models model cross join lateral (
      select id from devices
      where model_id = model.id and claimed_at is null and removed_at is null
        and (status, id) > ('never_seen', case when model.id = ${after.model_id} then ${after.id}::uuid else ${smallest}::uuid end)
        and (status, id) < ('never_seen', ${before}::uuid) and registered_at < ${agedBefore(sql, age)}
      order by status, id limit ${limit}
    ) device
    where model.id >= ${after.model_id}
    order by model.id, device.id limit ${limit}`
}

export async function findUnclaimedOf(sql: Sql, ids: string[]): Promise<DeviceRow[]> {
  return await sql<DeviceRow[]>`
    select ${deviceColumns(sql, { partner_id: '' })} from devices device
    where device.id = any(${ids}::uuid[]) and device.customer_id is null and device.removed_at is null
    order by device.id`
}
