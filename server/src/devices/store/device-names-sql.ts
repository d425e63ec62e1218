import type { Sql } from '../../platform/database/sql.ts'
import { belongsTo, type Owner } from './devices-sql.ts'

/**
 * Not of removed devices: what has a name here has a page, and their events have the names of then. A customer's name for a
 * device is for the customer and the operator only, and models are not looked up for customers, whose log names none.
 */
export async function findDeviceNames(
  sql: Sql,
  owner: Owner | null,
  ids: string[],
): Promise<{ id: string; name: string }[]> {
  const isPartner = owner !== null && 'partner_id' in owner
  const name = isPartner ? sql`'Device ' || device.sn` : sql`coalesce(device.name, 'Device ' || device.sn)`
  const models = sql`
    union all select id, name from models
    where id = any(${ids}::uuid[]) ${isPartner ? sql`and partner_id = ${owner.partner_id}` : sql``}`
  return await sql<{ id: string; name: string }[]>`
    select device.id, ${name} as name from devices device
    where device.id = any(${ids}::uuid[]) and device.removed_at is null ${owner ? sql`and ${belongsTo(sql, owner)}` : sql``}
    ${owner && !isPartner ? sql`` : models}`
}

export async function listReached(sql: Sql, owner: Owner, ids: string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from devices device
    where device.id = any(${ids}::uuid[]) and device.removed_at is null and ${belongsTo(sql, owner)}`
  return rows.map(({ id }) => id)
}
