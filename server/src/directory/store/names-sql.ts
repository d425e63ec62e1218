import type { Fragment, Sql } from '../../platform/database/sql.ts'
import { cutAbove, type Place, spacesAbove } from './spaces-sql.ts'

export interface Named {
  id: string
  name: string
}

/** A space is named by its path: rooms of the same name are common. */
const pathsOfSpaces = (sql: Sql): Fragment =>
  sql`union all select of, string_agg(name, ' / ' order by height desc) from cut group by of`

/** What an administrator of the customer can see. The name of an application is no secret: every sign-in page shows it. */
export async function findNamesForCustomer(sql: Sql, place: Place, ids: string[]): Promise<Named[]> {
  const { customer_id: customerId, within } = place
  return await sql<Named[]>`
    with recursive ${spacesAbove(sql, ids, customerId)}, ${cutAbove(sql, within)}
    select id, name from users join memberships on user_id = id and customer_id = ${customerId}
    where id = any(${ids}::uuid[])
    union all select id, name from groups where customer_id = ${customerId} and id = any(${ids}::uuid[])
    ${pathsOfSpaces(sql)}
    union all select id, name from api_keys where customer_id = ${customerId} and id = any(${ids}::uuid[])
    union all select client_id, name from applications where client_id = any(${ids}::uuid[])`
}

/** Nothing of a customer (contract 1.5). */
export async function findNamesForPartner(sql: Sql, partnerId: string, ids: string[]): Promise<Named[]> {
  return await sql<Named[]>`
    select id, name from users join partner_members on user_id = id and partner_id = ${partnerId}
    where id = any(${ids}::uuid[])
    union all select id, name from api_keys where partner_id = ${partnerId} and id = any(${ids}::uuid[])
    union all select client_id, name from applications where partner_id = ${partnerId} and client_id = any(${ids}::uuid[])`
}

export async function findNamesForOperator(sql: Sql, ids: string[]): Promise<Named[]> {
  return await sql<Named[]>`
    with recursive ${spacesAbove(sql, ids, null)}, ${cutAbove(sql, null)}
    select id, name from users where id = any(${ids}::uuid[])
    union all select id, name from groups where id = any(${ids}::uuid[])
    ${pathsOfSpaces(sql)}
    union all select id, name from api_keys where id = any(${ids}::uuid[])
    union all select id, name from customers where id = any(${ids}::uuid[])
    union all select id, name from partners where id = any(${ids}::uuid[])
    union all select client_id, name from applications where client_id = any(${ids}::uuid[])`
}

export async function findOwnerName(
  sql: Sql,
  owner: { customer_id: string } | { partner_id: string },
): Promise<string> {
  const [row] =
    'customer_id' in owner
      ? await sql<{ name: string }[]>`select name from customers where id = ${owner.customer_id}`
      : await sql<{ name: string }[]>`select name from partners where id = ${owner.partner_id}`
  return row?.name ?? ''
}
