import type { Fragment, PageRange, Sql } from '../../platform/database/sql.ts'
import type { PortalMembership, Role } from './memberships.ts'

/** Who is asked for: one by id, or whoever holds something; with `above`, somewhere among these spaces or everywhere. */
export interface HolderFilter {
  id: string | undefined
  above: readonly string[] | undefined
}

interface MemberRoles {
  id: string
  name: string
  email: string
  role: Role
  active: boolean
  held: (PortalMembership['held'][number] & { group: { id: string; name: string } | null })[]
}

/** Those of `reach_of_member`, each with the group that it comes from. */
export async function listMembersWithRoles(
  sql: Sql,
  customerId: string,
  filter: HolderFilter,
  { after, limit }: PageRange,
): Promise<MemberRoles[]> {
  return await sql<MemberRoles[]>`
    with holders as (${filter.id ? oneMember(sql, customerId, filter.id) : membersWithRoles(sql, customerId, filter)}),
    page as (select user_id from holders where user_id > ${after} order by user_id limit ${limit})
    select u.id, u.name, u.email, m.role, m.active, coalesce(held.roles, '[]') as held
    from page join memberships m on m.customer_id = ${customerId} and m.user_id = page.user_id
    join users u on u.id = m.user_id
    left join lateral (
      select json_agg(json_build_object('role', role, 'space_id', space_id, 'group', of_group)) as roles from (
        select role, space_id, null::json as of_group from space_roles
        where customer_id = ${customerId} and user_id = page.user_id
        union all
        select given.role, given.space_id, json_build_object('id', g.id, 'name', g.name)
        from group_members member join groups g on g.id = member.group_id join space_roles given on given.group_id = g.id
        where member.customer_id = ${customerId} and member.user_id = page.user_id
        union all
        select 'viewer', null, null where m.can_view_devices
      ) each_role
    ) held on true
    order by u.id`
}

const oneMember = (sql: Sql, customerId: string, userId: string) =>
  sql`select user_id from memberships where customer_id = ${customerId} and user_id = ${userId}`

function membersWithRoles(sql: Sql, customerId: string, { above }: HolderFilter): Fragment {
  const there = above ? sql`(space_id is null or space_id = any(${[...above]}::uuid[]))` : sql`true`
  return sql`
    select user_id from memberships where customer_id = ${customerId} and (role = 'administrator' or can_view_devices)
    union
    select user_id from space_roles where customer_id = ${customerId} and user_id is not null and ${there}
    union
    select member.user_id from space_roles given join group_members member on member.group_id = given.group_id
    where given.customer_id = ${customerId} and ${there}`
}

interface KeyPermissions {
  id: string
  name: string
  permissions: Record<string, string> | null
  within: string[] | null
  active: boolean
}

/** Those that are not revoked. */
export async function listKeysWithPermissions(
  sql: Sql,
  customerId: string,
  { id, above }: HolderFilter,
  { after, limit }: PageRange,
  at: Date,
): Promise<KeyPermissions[]> {
  const there = above ? sql`(within is null or within && ${[...above]}::uuid[])` : sql`true`
  return await sql<KeyPermissions[]>`
    select id, name, permissions, within, (expires_at > ${at}) is not false as active from api_keys
    where customer_id = ${customerId} and revoked_at is null and id > ${after} and ${there}
      ${id ? sql`and id = ${id}` : sql``}
    order by id limit ${limit}`
}

/** A space and those above it; undefined when this customer has no such space. */
export async function findAbove(sql: Sql, customerId: string, id: string): Promise<string[] | undefined> {
  const [row] = await sql<{ above: string[] }[]>`
    select spaces_above(id) as above from spaces where customer_id = ${customerId} and id = ${id}`
  return row?.above
}
