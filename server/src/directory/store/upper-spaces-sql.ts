import type { Sql } from '../../platform/database/sql.ts'

export interface UpperSpace {
  customer_id: string
  id: string
  name: string
  child_id: string | null
  child_name: string | null
}

/** Of each customer the first spaces at the top, each with the first below it: a row per child, or one without. */
export async function listUpperSpaces(sql: Sql, customerIds: string[], max: number): Promise<UpperSpace[]> {
  return await sql<UpperSpace[]>`
    select top.customer_id, top.id, top.name, child.id as child_id, child.name as child_name
    from unnest(${customerIds}::uuid[]) as customers (id)
    cross join lateral (
      select customer_id, id, name from spaces where customer_id = customers.id and parent_id is null
      order by name limit ${max}) top
    left join lateral (
      select id, name from spaces where customer_id = customers.id and parent_id = top.id
      order by name limit ${max}) child on true
    order by top.customer_id, lower(top.name), top.id, lower(child.name), child.id`
}

export async function listSpaceNames(sql: Sql, ids: string[]): Promise<{ id: string; name: string }[]> {
  return await sql<{ id: string; name: string }[]>`select id, name from spaces where id = any(${ids}::uuid[])`
}
