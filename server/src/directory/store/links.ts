import { type Age, agedBefore, type PageRange, type Sql } from '../../platform/database/sql.ts'
import type { Role } from './memberships.ts'

export type InvitationTarget = { customer_id: string } | { partner_id: string }

export interface NewInvitation {
  id: string
  digest: Buffer
  email: string
  name: string | null
  /** Null for a partner: its members are all equal. */
  role: Role | null
  group_ids: string[]
  created_at: Date
  expires_at: Date
}

export interface PendingInvitation {
  id: string
  email: string
  name: string | null
  role: Role | null
  group_ids: string[]
  created_at: Date
  expires_at: Date
}

/** A link as whoever holds it may use it. */
export interface Link {
  id: string
  purpose: 'invitation' | 'password_reset'
  user_id: string | null
  customer_id: string | null
  partner_id: string | null
  email: string
  name: string | null
  role: Role | null
  group_ids: string[]
  /** The customer or partner an invitation leads to. */
  leads_to: string | null
}

export async function insertInvitation(sql: Sql, target: InvitationTarget, invitation: NewInvitation): Promise<void> {
  await sql`insert into one_time_links ${sql({ ...invitation, ...target, purpose: 'invitation' })}`
}

export async function insertPasswordReset(
  sql: Sql,
  reset: {
    id: string
    digest: Buffer
    user_id: string
    /** Whose administrator made it; null for the operator. */
    customer_id: string | null
    created_at: Date
    expires_at: Date
  },
): Promise<void> {
  await sql`insert into one_time_links ${sql({ ...reset, purpose: 'password_reset' })}`
}

/** A newer invitation of the same email takes the older one's place. */
export async function deleteInvitationsOf(sql: Sql, target: InvitationTarget, email: string): Promise<void> {
  await sql`
    delete from one_time_links where ${leadsTo(sql, target)} and lower(email) = lower(${email}) and used_at is null`
}

export async function deleteInvitation(sql: Sql, target: InvitationTarget, id: string): Promise<string | undefined> {
  const [row] = await sql<{ email: string }[]>`
    delete from one_time_links where id = ${id} and ${leadsTo(sql, target)} and purpose = 'invitation' and used_at is null returning email`
  return row?.email
}

export async function listInvitations(
  sql: Sql,
  target: InvitationTarget,
  at: Date,
  { after, limit }: PageRange,
): Promise<PendingInvitation[]> {
  return await sql<PendingInvitation[]>`
    select id, email, name, role, group_ids, created_at, expires_at from one_time_links
    where ${leadsTo(sql, target)} and id > ${after} and purpose = 'invitation' and used_at is null and expires_at > ${at}
    order by id limit ${limit}`
}

export async function findLink(sql: Sql, digest: Buffer, at: Date): Promise<Link | undefined> {
  const [row] = await sql<Link[]>`
    select l.id, l.purpose, l.user_id, l.customer_id, l.partner_id, coalesce(l.email, u.email) as email,
      coalesce(l.name, u.name) as name, l.role, l.group_ids, coalesce(c.name, p.name) as leads_to
    from one_time_links l
    left join users u on u.id = l.user_id
    left join customers c on c.id = l.customer_id
    left join partners p on p.id = l.partner_id
    where l.digest = ${digest} and l.used_at is null and l.expires_at > ${at}`
  return row
}

/** Exactly one of any number of simultaneous uses gets true; the others wait for it and get false. */
export async function spendLink(sql: Sql, id: string, at: Date): Promise<boolean> {
  const rows = await sql`update one_time_links set used_at = ${at} where id = ${id} and used_at is null returning id`
  return rows.length > 0
}

export async function spendPasswordResets(sql: Sql, userId: string, at: Date): Promise<void> {
  await sql`update one_time_links set used_at = ${at} where user_id = ${userId} and used_at is null`
}

export async function deleteEndedLinks(sql: Sql, age: Age, most: number): Promise<number> {
  const { count } = await sql`
    delete from one_time_links where id in (
      select id from one_time_links where expires_at < ${agedBefore(sql, age)} order by expires_at limit ${most} for update skip locked)`
  return count
}

function leadsTo(sql: Sql, target: InvitationTarget) {
  return 'customer_id' in target ? sql`customer_id = ${target.customer_id}` : sql`partner_id = ${target.partner_id}`
}
