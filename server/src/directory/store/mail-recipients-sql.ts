import type { Sql } from '../../platform/database/sql.ts'

export async function findMailsOff(sql: Sql, userId: string): Promise<string[]> {
  const [row] = await sql<{ mails_off: string[] }[]>`select mails_off from users where id = ${userId}`
  return row?.mails_off ?? []
}

export async function setMailsOff(sql: Sql, userId: string, off: string[]): Promise<void> {
  await sql`update users set mails_off = ${off}::text[] where id = ${userId}`
}

export interface Recipient {
  id: string
  email: string
  name: string
}

/** Those who manage each of these customers and partners and want this kind of mail, at most so many of each. */
export async function findManagersToMail(
  sql: Sql,
  targetIds: readonly string[],
  { kind, max }: { kind: string; max: number },
): Promise<(Recipient & { target_id: string })[]> {
  const wants = sql`u.email not like '%@released.invalid' and not ${kind} = any(u.mails_off)`
  return await sql<(Recipient & { target_id: string })[]>`
    select wanted.id as target_id, first.id, first.email, first.name
    from unnest(${[...new Set(targetIds)]}::uuid[]) as wanted (id)
    cross join lateral (
      (select u.id, u.email, u.name from memberships m join users u on u.id = m.user_id
       where m.customer_id = wanted.id and m.role = 'administrator' and m.active and ${wants} limit ${max})
      union all
      (select u.id, u.email, u.name from partner_members m join users u on u.id = m.user_id
       where m.partner_id = wanted.id and ${wants} limit ${max})) first`
}

export interface PersonsDomain {
  portal_domain: string
  name: string
  accent_color: string | null
  /** Another partner has the same domain: it has nobody's look. */
  shared: boolean
}

/** The portal domains of the organizations that a person belongs to. */
export async function findDomainsOf(sql: Sql, userId: string): Promise<PersonsDomain[]> {
  return await sql<PersonsDomain[]>`
    select portal_domain, name, accent_color,
      exists (select 1 from partners other where other.portal_domain = p.portal_domain and other.id <> p.id) as shared
    from partners p
    where portal_domain is not null and id in (
      select partner_id from partner_members where user_id = ${userId}
      union select c.partner_id from memberships m join customers c on c.id = m.customer_id
      where m.user_id = ${userId} and m.active)
    order by id limit 20`
}

export interface TargetLook {
  id: string
  /** Of the organization. */
  name: string
  portal_domain: string | null
  partner_name: string
  accent_color: string | null
  shared: boolean
}

/** What mails about customers and partners say and look like. */
export async function findTargetLooks(sql: Sql, ids: readonly string[]): Promise<TargetLook[]> {
  return await sql<TargetLook[]>`
    select target.id, target.name, p.portal_domain, p.name as partner_name, p.accent_color,
      exists (select 1 from partners other where other.portal_domain = p.portal_domain and other.id <> p.id) as shared
    from (
      select id, name, partner_id from customers where id = any(${[...ids]}::uuid[])
      union all select id, name, id from partners where id = any(${[...ids]}::uuid[])) target
    join partners p on p.id = target.partner_id`
}
