import type { Fragment, Sql } from '../../platform/database/sql.ts'
import { belongsTo, type CustomerOwner } from './devices-sql.ts'

interface OwnDevice {
  customer_id: string
  device_id: string
}

export async function removeOtherTags(sql: Sql, { device_id }: OwnDevice, tags: string[]): Promise<void> {
  await sql`delete from device_tags where device_id = ${device_id} and tag <> all(${tags}::text[])`
}

export async function addTags(sql: Sql, { customer_id, device_id }: OwnDevice, tags: string[]): Promise<void> {
  await sql`
    insert into device_tags (customer_id, tag, device_id)
    select ${customer_id}, tag, ${device_id} from unnest(${tags}::text[]) as tag
    on conflict do nothing`
}

export async function setNote(sql: Sql, { customer_id, device_id }: OwnDevice, note: string): Promise<void> {
  await sql`
    insert into device_notes (device_id, customer_id, note) values (${device_id}, ${customer_id}, ${note})
    on conflict (device_id) do update set note = excluded.note`
}

export async function deleteNote(sql: Sql, { device_id }: OwnDevice): Promise<void> {
  await sql`delete from device_notes where device_id = ${device_id}`
}

/** The tags in use, in order: one look-up for each, however many devices have it. */
export async function listTags(sql: Sql, owner: CustomerOwner, after: string, limit: number): Promise<string[]> {
  const { customer_id, within } = owner
  const reached = within
    ? sql`and exists (select from devices device where device.id = device_tags.device_id and ${belongsTo(sql, owner)})`
    : sql``
  const next = (tag: Fragment) => sql`(
    select tag from device_tags where customer_id = ${customer_id} and tag > ${tag} ${reached} order by tag limit 1)`
  const rows = await sql<{ tag: string }[]>`
    with recursive used as (
      select ${next(sql`${after}`)} as tag
      union all
      select ${next(sql`used.tag`)} from used where used.tag is not null
    )
    select tag from used where tag is not null limit ${limit}`
  return rows.map(({ tag }) => tag)
}
