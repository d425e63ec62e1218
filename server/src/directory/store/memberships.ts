import type { Fragment, PageRange, Sql } from '../../platform/database/sql.ts'
import { type FactorFacts, factorColumns } from './factor-facts-sql.ts'

export type Role = 'administrator' | 'member'

interface NewMembership {
  customer_id: string
  user_id: string
  role: Role
  can_view_devices?: boolean
  created_at: Date
}

/** A person with their membership of one customer. */
export interface Member {
  id: string
  email: string
  name: string
  email_verified: boolean
  role: Role
  active: boolean
  /** A member sees devices and spaces in the portal; an administrator does anyway. */
  can_view_devices: boolean
  groups: { id: string; name: string }[]
  created_at: Date
}

export interface MembershipChange {
  role?: Role | undefined
  active?: boolean | undefined
  can_view_devices?: boolean | undefined
}

/** False when the person is already a member. */
export async function insertMembership(sql: Sql, membership: NewMembership): Promise<boolean> {
  const rows = await sql`
    insert into memberships ${sql({ can_view_devices: false, ...membership }, 'customer_id', 'user_id', 'role', 'can_view_devices', 'created_at')}
    on conflict do nothing returning user_id`
  return rows.length > 0
}

export async function findMember(sql: Sql, customerId: string, userId: string): Promise<Member | undefined> {
  const [row] = await sql<Member[]>`
    select u.id, u.email, u.name, u.email_verified, m.role, m.active, m.can_view_devices, m.created_at,
      coalesce((select json_agg(json_build_object('id', g.id, 'name', g.name) order by g.name)
                from group_members gm join groups g on g.id = gm.group_id
                where gm.customer_id = m.customer_id and gm.user_id = m.user_id), '[]') as groups
    from memberships m join users u on u.id = m.user_id
    where m.customer_id = ${customerId} and m.user_id = ${userId}`
  return row
}

export interface MembersPage extends PageRange {
  customer_id: string
}

/** Many pages in one statement, each a range of the index; `page` is the number of the page a row belongs to. */
export async function listMembers(sql: Sql, pages: MembersPage[]): Promise<(Member & { page: number })[]> {
  return await sql<(Member & { page: number })[]>`
    select page.number::int as page, u.id, u.email, u.name, u.email_verified, m.role, m.active, m.can_view_devices, m.created_at,
      coalesce((select json_agg(json_build_object('id', g.id, 'name', g.name) order by g.name)
                from group_members gm join groups g on g.id = gm.group_id
                where gm.customer_id = page.customer_id and gm.user_id = m.user_id), '[]') as groups
    from unnest(
      ${pages.map(({ customer_id }) => customer_id)}::uuid[],
      ${pages.map(({ after }) => after)}::uuid[],
      ${pages.map(({ limit }) => limit)}::int[]
    ) with ordinality as page (customer_id, after, max, number)
    cross join lateral (
      select user_id, role, active, can_view_devices, created_at from memberships
      where customer_id = page.customer_id and user_id > page.after
      order by user_id limit page.max
    ) m
    join users u on u.id = m.user_id
    order by page.number, m.user_id`
}

export async function listMembersOfGroup(
  sql: Sql,
  customerId: string,
  groupId: string,
  { after, limit }: PageRange,
): Promise<Member[]> {
  return await sql<Member[]>`
    select u.id, u.email, u.name, u.email_verified, m.role, m.active, m.can_view_devices, m.created_at,
      coalesce((select json_agg(json_build_object('id', g.id, 'name', g.name) order by g.name)
                from group_members gm join groups g on g.id = gm.group_id
                where gm.customer_id = m.customer_id and gm.user_id = m.user_id), '[]') as groups
    from group_members in_group
    join memberships m on m.customer_id = in_group.customer_id and m.user_id = in_group.user_id
    join users u on u.id = m.user_id
    where in_group.customer_id = ${customerId} and in_group.group_id = ${groupId} and in_group.user_id > ${after}
    order by in_group.user_id limit ${limit}`
}

export async function updateMembership(
  sql: Sql,
  customerId: string,
  userId: string,
  change: MembershipChange,
  at: Date,
): Promise<boolean> {
  const rows = await sql`
    update memberships set role = coalesce(${change.role ?? null}, role),
      administrator_since = case when ${change.role ?? null} = 'administrator' and role = 'member' then ${at}
        else administrator_since end,
      active = coalesce(${change.active ?? null}, active),
      can_view_devices = coalesce(${change.can_view_devices ?? null}, can_view_devices)
    where customer_id = ${customerId} and user_id = ${userId} returning user_id`
  return rows.length > 0
}

export async function deleteMembership(sql: Sql, customerId: string, userId: string): Promise<boolean> {
  const rows = await sql`
    delete from memberships where customer_id = ${customerId} and user_id = ${userId} returning user_id`
  return rows.length > 0
}

export async function hasActiveAdministrator(sql: Sql, customerId: string): Promise<boolean> {
  const rows = await sql`
    select 1 from memberships where customer_id = ${customerId} and role = 'administrator' and active limit 1`
  return rows.length > 0
}

/** The customers a person administers, or the one given if it is among them; at most two, which is enough to know "several". */
export async function findAdministered(sql: Sql, userId: string, customerId: string | null): Promise<string[]> {
  const rows = await sql<{ customer_id: string }[]>`
    select customer_id from memberships
    where user_id = ${userId} and role = 'administrator' and active
      and customer_id = coalesce(${customerId}::uuid, customer_id)
    order by customer_id limit 2`
  return rows.map(({ customer_id }) => customer_id)
}

export interface PortalMembership extends FactorFacts {
  customer_id: string
  /** The roles in spaces of a member; of an administrator, who may do everything, none. */
  held: { role: 'viewer' | 'operator' | 'manager'; space_id: string | null }[]
}

/**
 * The customers whose portal a person can open, those they administer first; at most two, which is enough to know
 * "several".
 */
export async function findPortalMemberships(
  sql: Sql,
  userId: string,
  customerId: string | null,
): Promise<PortalMembership[]> {
  return await sql<PortalMembership[]>`
    select customer_id, role, held, ${factorColumns(sql)}
    from memberships join customers on customers.id = customer_id, ${heldRoles(sql)}
    where user_id = ${userId} and active and (role = 'administrator' or held <> '[]')
      and customer_id = coalesce(${customerId}::uuid, customer_id)
    order by role, customer_id limit 2`
}

/** Beside a row of memberships. */
export function heldRoles(sql: Sql): Fragment {
  return sql`lateral (
    select case memberships.role when 'member' then reach_of_member(memberships.customer_id, memberships.user_id)
      else '[]' end as held) as roles`
}

export async function isMember(sql: Sql, customerId: string, email: string): Promise<boolean> {
  const rows = await sql`
    select 1 from users u join memberships m on m.user_id = u.id
    where lower(u.email) = lower(${email}) and m.customer_id = ${customerId}`
  return rows.length > 0
}

/** Whether the person is a member of this customer and of no other customer or partner. */
export async function belongsOnlyTo(sql: Sql, customerId: string, userId: string): Promise<boolean> {
  const [row] = await sql<{ only: boolean }[]>`
    select exists (select 1 from memberships where user_id = ${userId} and customer_id = ${customerId})
      and not exists (select 1 from memberships where user_id = ${userId} and customer_id <> ${customerId})
      and not exists (select 1 from partner_members where user_id = ${userId}) as only`
  return row!.only
}

export interface CustomerMembership extends FactorFacts {
  id: string
  name: string
  lab: boolean
  can_view_devices: boolean
  /** An administrator, or a member who has a role somewhere. */
  can_open_portal: boolean
  /** Whom a member can ask; empty for an administrator. */
  administrators: { name: string; email: string }[]
}

export interface PartnerMembership {
  id: string
  name: string
}

/** More than anybody has; it bounds the size of the response. */
const maxMemberships = 1_000
/** Enough to find one who responds. */
const maxAdministrators = 5

export async function listCustomersOf(sql: Sql, userId: string): Promise<CustomerMembership[]> {
  return await sql<CustomerMembership[]>`
    select id, name, lab, role, can_view_devices, role = 'administrator' or held <> '[]' as can_open_portal,
      ${factorColumns(sql)},
      coalesce(case when role = 'member' then (
        select json_agg(json_build_object('name', u.name, 'email', u.email) order by lower(u.name), u.id)
        from (select user_id from memberships a
              where a.customer_id = customers.id and a.role = 'administrator' and a.active limit ${maxAdministrators}) first
        join users u on u.id = first.user_id) end, '[]') as administrators
    from memberships join customers on customers.id = customer_id, ${heldRoles(sql)}
    where user_id = ${userId} and active
    order by lab, lower(name), id limit ${maxMemberships}`
}

export interface AnyMembership {
  id: string
  name: string
  lab: boolean
  role: Role
  active: boolean
}

/** For the operator: deactivated ones too. */
export async function listAllCustomersOf(sql: Sql, userId: string): Promise<AnyMembership[]> {
  return await sql<AnyMembership[]>`
    select id, name, lab, role, active from memberships join customers on customers.id = customer_id
    where user_id = ${userId}
    order by lab, lower(name), id limit ${maxMemberships}`
}

export async function listPartnersOf(sql: Sql, userId: string): Promise<PartnerMembership[]> {
  return await sql<PartnerMembership[]>`
    select id, name from partner_members join partners on partners.id = partner_id
    where user_id = ${userId}
    order by lower(name), id limit ${maxMemberships}`
}
