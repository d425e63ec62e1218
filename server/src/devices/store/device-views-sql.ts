import type { Fragment, PageRange, Sql } from '../../platform/database/sql.ts'
import type { CustomerOwner } from './devices-sql.ts'

export interface DeviceView {
  id: string
  name: string
  query: Record<string, unknown>
  created_at: Date
}

const columns = (sql: Sql) => sql`id, name, query, created_at`

export async function countViews(sql: Sql, customerId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from device_views where customer_id = ${customerId}`
  return row!.count
}

/** As Postgres stores it: it has its own order of the query's fields. */
export async function insertView(sql: Sql, customerId: string, view: DeviceView): Promise<DeviceView> {
  const [row] = await sql<DeviceView[]>`
    insert into device_views (id, customer_id, name, query, created_at)
    values (${view.id}, ${customerId}, ${view.name}, ${JSON.stringify(view.query)}::jsonb, ${view.created_at})
    returning ${columns(sql)}`
  return row!
}

export async function listViews(sql: Sql, owner: CustomerOwner, { after, limit }: PageRange): Promise<DeviceView[]> {
  return await sql<DeviceView[]>`
    select ${columns(sql)} from device_views
    where customer_id = ${owner.customer_id} and id > ${after} ${isReached(sql, owner)} order by id limit ${limit}`
}

/** Of no space, or of one that is reached. */
function isReached(sql: Sql, { within }: CustomerOwner): Fragment {
  return within
    ? sql`and (query ->> 'space_id' is null or spaces_above((query ->> 'space_id')::uuid) && ${[...within]}::uuid[])`
    : sql``
}

/** Locked, when it is to be changed. */
export async function findView(
  sql: Sql,
  owner: CustomerOwner,
  id: string,
  lock = false,
): Promise<DeviceView | undefined> {
  const [row] = await sql<DeviceView[]>`
    select ${columns(sql)} from device_views
    where customer_id = ${owner.customer_id} and id = ${id} ${isReached(sql, owner)} ${lock ? sql`for update` : sql``}`
  return row
}

export async function updateView(sql: Sql, { id, name, query }: DeviceView): Promise<DeviceView> {
  const [row] = await sql<DeviceView[]>`
    update device_views set name = ${name}, query = ${JSON.stringify(query)}::jsonb where id = ${id}
    returning ${columns(sql)}`
  return row!
}

export async function deleteView(sql: Sql, customerId: string, id: string): Promise<boolean> {
  const { count } = await sql`delete from device_views where customer_id = ${customerId} and id = ${id}`
  return count === 1
}
