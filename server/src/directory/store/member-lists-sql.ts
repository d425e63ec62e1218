import type { Fragment, SortCursor, Sql } from '../../platform/database/sql.ts'
import type { FactorFilter } from './factor-facts-sql.ts'
import type { Member } from './memberships.ts'
import { anywhere } from './search.ts'

export type MemberSort = 'name' | 'email' | 'role' | 'created_at'

export interface MemberOrder {
  by: MemberSort
  descending: boolean
}

/** One more than is sorted: more members than this are not read for one page. */
const maxCollected = 10_000

export async function hasManyMembers(sql: Sql, customerId: string): Promise<boolean> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from (
      select from memberships where customer_id = ${customerId} limit ${maxCollected + 1}) counted`
  return row!.count > maxCollected
}

/** Whether a text finds so many people of all customers that those of one are not among the first. */
export async function findsManyUsers(sql: Sql, text: string): Promise<boolean> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from (
      select from users u where ${textMatches(sql, text)} limit ${maxCollected + 1}) counted`
  return row!.count > maxCollected
}

/**
 * A page of the members whom a text finds, in an order. Few members are read by their customer, and of many only those whom
 * the index of texts finds: planned apart, since a plan that does not know the text may choose the other way.
 */
export async function sortMembers(
  sql: Sql,
  customerId: string,
  { text, many, order, factor }: { text: string; many: boolean; order: MemberOrder; factor?: FactorFilter | undefined },
  after: SortCursor | null,
  limit: number,
): Promise<(Member & { key: string })[]> {
  const matches = text ? textMatches(sql, text) : sql`true`
  const people = many
    ? sql`found as materialized (select id from users u where ${matches} limit ${maxCollected + 1})`
    : sql`found as materialized (
        select u.id from memberships m join users u on u.id = m.user_id
        where m.customer_id = ${customerId} and ${matches} limit ${maxCollected + 1})`
  const beyond = !after
    ? sql`true`
    : order.descending
      ? sql`(key, id) < (${after.key}, ${after.id}::uuid)`
      : sql`(key, id) > (${after.key}, ${after.id}::uuid)`
  const direction = order.descending ? sql`desc` : sql`asc`
  return await sql<(Member & { key: string })[]>`
    with ${people}, own as (
      select u.id, u.email, u.name, u.email_verified, m.role, m.active, m.can_view_devices, m.created_at,
        ${keyOf(sql, order.by)} as key
      from found join users u on u.id = found.id
      join memberships m on m.customer_id = ${customerId} and m.user_id = u.id
      where ${factor ? factorMatches(sql, factor) : sql`true`}
    )
    select page.*,
      coalesce((select json_agg(json_build_object('id', g.id, 'name', g.name) order by g.name)
                from group_members gm join groups g on g.id = gm.group_id
                where gm.customer_id = ${customerId} and gm.user_id = page.id), '[]') as groups
    from (select * from own where ${beyond} order by key ${direction}, id ${direction} limit ${limit}) page
    order by key ${direction}, id ${direction}`
}

function textMatches(sql: Sql, text: string): Fragment {
  return sql`lower(' ' || u.email || ' ' || u.name) like ${anywhere(text)}`
}

function factorMatches(sql: Sql, factor: FactorFilter): Fragment {
  const matches = {
    passkey: sql`second_factor_of(u.id) = 'passkey'`,
    app: sql`second_factor_of(u.id) = 'app'`,
    none: sql`second_factor_of(u.id) is null`,
    missing: sql`
      second_factor_of(u.id) is null and m.active and exists (
        select from customers c where c.id = m.customer_id and case m.role when 'administrator'
          then c.second_factor_administrators_since else c.second_factor_all_since end is not null)`,
  }
  return matches[factor]
}

function keyOf(sql: Sql, by: MemberSort): Fragment {
  const keys = {
    name: sql`lower(u.name)`,
    email: sql`lower(u.email)`,
    role: sql`m.role`,
    created_at: sql`to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')`,
  }
  return keys[by]
}
