import { type Age, agedBefore, type PageRange, type Sql } from '../../platform/database/sql.ts'
import type { Role } from './memberships.ts'

export type InvitationTarget = { customer_id: string } | { partner_id: string }

/** Who created a link; the operator has no id. `self`: whoever knew the email, for the person who reads its mails. */
export interface StoredMaker {
  maker_kind: 'operator' | 'user' | 'application' | 'api_key' | 'self'
  maker_id: string | null
}

export interface NewInvitation extends StoredMaker {
  id: string
  /** Null while there is no link. */
  digest: Buffer | null
  email: string
  name: string | null
  /** Null for a partner, whose members have no roles. */
  role: Role | null
  group_ids: string[]
  can_view_devices: boolean
  issued_by: string | null
  created_at: Date
  expires_at: Date
}

interface StoredInvitation {
  id: string
  customer_id: string | null
  partner_id: string | null
  email: string
  name: string | null
  role: Role | null
  group_ids: string[]
  can_view_devices: boolean
}

export interface PendingInvitation extends StoredInvitation {
  /** False until an administrator creates the link of an invitation that came from a token or an API key. */
  has_link: boolean
  made_by: { kind: Exclude<StoredMaker['maker_kind'], 'self'>; id: string | null; name: string | null }
  created_at: Date
  expires_at: Date
}

/** A link as its holder uses it. */
export interface Link extends StoredInvitation {
  purpose: 'invitation' | 'password_reset'
  maker_kind: StoredMaker['maker_kind']
  user_id: string | null
  /** The name of the customer or partner an invitation is for. */
  target_name: string | null
}

export async function insertInvitation(
  sql: Sql,
  target: InvitationTarget | { customer_id: string; partner_id: string },
  invitation: NewInvitation,
): Promise<void> {
  await sql`insert into one_time_links ${sql({ ...invitation, ...target, purpose: 'invitation' })}`
}

export async function insertPasswordReset(
  sql: Sql,
  reset: StoredMaker & {
    id: string
    digest: Buffer
    user_id: string
    /** The customer whose administrator created it; null for the operator. */
    customer_id: string | null
    issued_by: string | null
    created_at: Date
    expires_at: Date
  },
): Promise<void> {
  await sql`insert into one_time_links ${sql({ ...reset, purpose: 'password_reset' })}`
}

/** All unused ones of the person but the newest; those that anybody can ask for push out none. */
export async function deletePasswordResetsBeyond(sql: Sql, userId: string, kept: number): Promise<void> {
  await sql`
    delete from one_time_links where id in (
      select id from one_time_links where user_id = ${userId} and purpose = 'password_reset' and used_at is null
        and maker_kind <> 'self'
      order by id desc offset ${kept})`
}

/** A new invitation replaces earlier ones of the same email; with a maker, only those of the same maker. */
export async function deleteInvitationsOf(
  sql: Sql,
  target: InvitationTarget,
  email: string,
  maker: StoredMaker | null = null,
): Promise<void> {
  await sql`
    delete from one_time_links l
    where ${hasTarget(sql, target)} and lower(l.email) = lower(${email}) and l.purpose = 'invitation' and l.used_at is null
      and (${maker === null} or (l.maker_kind = ${maker?.maker_kind ?? null} and l.maker_id = ${maker?.maker_id ?? null}))`
}

export async function isInvited(sql: Sql, target: InvitationTarget, email: string, at: Date): Promise<boolean> {
  const rows = await sql`
    select 1 from one_time_links l
    where ${hasTarget(sql, target)} and lower(l.email) = lower(${email}) and ${isPending(sql, at)}`
  return rows.length > 0
}

/** Members and pending invitations together; an invitation to a partner and its lab is one of each. */
export async function countPeople(sql: Sql, target: InvitationTarget, at: Date): Promise<number> {
  const [members, column] =
    'customer_id' in target
      ? [sql`memberships where customer_id = ${target.customer_id}`, sql`customer_id = ${target.customer_id}`]
      : [sql`partner_members where partner_id = ${target.partner_id}`, sql`partner_id = ${target.partner_id}`]
  const [row] = await sql<{ count: number }[]>`
    select ((select count(*) from ${members}) + (
      select count(*) from one_time_links
      where ${column} and purpose = 'invitation' and used_at is null and expires_at > ${at}))::int as count`
  return row!.count
}

/** The row is locked until the transaction ends. */
export async function lockInvitation(
  sql: Sql,
  target: InvitationTarget | null,
  id: string,
): Promise<Pick<PendingInvitation, 'email' | 'role' | 'customer_id' | 'partner_id'> | undefined> {
  const [row] = await sql<Pick<PendingInvitation, 'email' | 'role' | 'customer_id' | 'partner_id'>[]>`
    select l.email, l.role, l.customer_id, l.partner_id from one_time_links l
    where l.id = ${id} and ${hasTarget(sql, target)} and l.purpose = 'invitation' and l.used_at is null for update`
  return row
}

export async function deleteInvitation(sql: Sql, id: string): Promise<void> {
  await sql`delete from one_time_links where id = ${id}`
}

export async function replaceDigest(
  sql: Sql,
  id: string,
  link: { digest: Buffer; issued_by: string | null; at: Date; expires_at: Date },
): Promise<boolean> {
  const { count } = await sql`
    update one_time_links l set digest = ${link.digest}, issued_by = ${link.issued_by}, expires_at = ${link.expires_at}
    where l.id = ${id} and ${isPending(sql, link.at)}`
  return count === 1
}

export async function listInvitations(
  sql: Sql,
  target: InvitationTarget | null,
  at: Date,
  { after, limit }: PageRange,
): Promise<PendingInvitation[]> {
  return await sql<PendingInvitation[]>`
    select ${pendingInvitations(sql)}
    where ${hasTarget(sql, target)} and l.id > ${after} and ${isPending(sql, at)}
    order by l.id limit ${limit}`
}

export async function findInvitation(sql: Sql, id: string): Promise<PendingInvitation | undefined> {
  const [row] = await sql<PendingInvitation[]>`select ${pendingInvitations(sql)} where l.id = ${id}`
  return row
}

export async function findLink(sql: Sql, digest: Buffer, at: Date): Promise<Link | undefined> {
  const [row] = await sql<Link[]>`
    select l.id, l.purpose, l.maker_kind, l.user_id, l.customer_id, l.partner_id, coalesce(l.email, u.email) as email,
      coalesce(l.name, u.name) as name, l.role, l.group_ids, l.can_view_devices, coalesce(p.name, c.name) as target_name
    from one_time_links l
    left join users u on u.id = l.user_id
    left join customers c on c.id = l.customer_id
    left join partners p on p.id = l.partner_id
    where l.digest = ${digest} and l.used_at is null and l.expires_at > ${at} and ${makerMayStillInvite(sql, at)}`
  return row
}

/**
 * Of any number of simultaneous uses exactly one gets true. The digest and the maker's right are checked again, since the
 * link may have been replaced, or the right have ended, since it was read.
 */
export async function spendLink(sql: Sql, id: string, digest: Buffer, at: Date): Promise<boolean> {
  const { count } = await sql`
    update one_time_links l set used_at = ${at}
    where l.id = ${id} and l.digest = ${digest} and l.used_at is null and l.expires_at > ${at} and ${makerMayStillInvite(sql, at)}`
  return count === 1
}

export async function spendPasswordResets(sql: Sql, userId: string, at: Date): Promise<void> {
  await sql`update one_time_links set used_at = ${at} where user_id = ${userId} and used_at is null`
}

export interface RevokedLink {
  id: string
  purpose: Link['purpose']
  email: string | null
  user_id: string | null
  customer_id: string | null
  partner_id: string | null
}

type LinkOwner = { customer_ids: string[] } | { partner_id: string }

export async function deleteLinksOfMaker(
  sql: Sql,
  maker: { kind: 'user' | 'application' | 'api_key'; id: string },
  owner: LinkOwner,
): Promise<RevokedLink[]> {
  return await sql<RevokedLink[]>`
    delete from one_time_links
    where maker_id = ${maker.id} and maker_kind = ${maker.kind} and used_at is null and ${belongsTo(sql, owner)}
    returning id, purpose, email, user_id, customer_id, partner_id`
}

/** Removes the links this person created for invitations of others; those invitations stay and need a new link. */
export async function clearLinksIssuedBy(sql: Sql, userId: string, owner: LinkOwner): Promise<RevokedLink[]> {
  return await sql<RevokedLink[]>`
    update one_time_links set digest = null, issued_by = null
    where issued_by = ${userId} and purpose = 'invitation' and used_at is null and ${belongsTo(sql, owner)}
    returning id, purpose, email, user_id, customer_id, partner_id`
}

function belongsTo(sql: Sql, owner: LinkOwner) {
  return 'partner_id' in owner
    ? sql`partner_id = ${owner.partner_id}`
    : sql`customer_id = any(${owner.customer_ids}::uuid[])`
}

export async function deleteExpiredLinks(sql: Sql, age: Age, max: number): Promise<number> {
  const { count } = await sql`
    delete from one_time_links where id = any(array(
      select id from one_time_links where expires_at < ${agedBefore(sql, age)} order by expires_at limit ${max} for update skip locked))`
  return count
}

function pendingInvitations(sql: Sql) {
  return sql`
    l.id, l.customer_id, l.partner_id, l.email, l.name, l.role, l.group_ids, l.can_view_devices, l.digest is not null as has_link,
    json_build_object('kind', l.maker_kind, 'id', l.maker_id, 'name', coalesce(u.name, a.name, k.name)) as made_by,
    l.created_at, l.expires_at
    from one_time_links l
    left join users u on l.maker_kind = 'user' and u.id = l.maker_id
    left join applications a on l.maker_kind = 'application' and a.client_id = l.maker_id
    left join api_keys k on l.maker_kind = 'api_key' and k.id = l.maker_id`
}

function isPending(sql: Sql, at: Date) {
  return sql`l.purpose = 'invitation' and l.used_at is null and l.expires_at > ${at} and ${makerMayStillInvite(sql, at)}`
}

/**
 * Whether the maker of the invitation and the issuer of its link still have the right to invite. An application's right is
 * its grant, which another area stores: revoking the grant deletes its invitations in the same transaction.
 */
function makerMayStillInvite(sql: Sql, at: Date) {
  const ids = { maker: sql`l.maker_id`, issuer: sql`l.issued_by` }
  const administers = (who: keyof typeof ids) => sql`case
    when l.partner_id is not null then exists (
      select 1 from partner_members m where m.partner_id = l.partner_id and m.user_id = ${ids[who]})
    else exists (
      select 1 from memberships m
      where m.customer_id = l.customer_id and m.user_id = ${ids[who]} and m.role = 'administrator' and m.active)
    end`
  return sql`(
    case l.maker_kind
      when 'user' then ${administers('maker')}
      when 'api_key' then exists (
        select 1 from api_keys k
        where k.id = l.maker_id and k.revoked_at is null and (k.expires_at > ${at}) is not false
          and coalesce(k.permissions ->> 'people', 'manage') = 'manage')
      else true
    end
    and (l.issued_by is null or ${administers('issuer')}))`
}

/** An invitation to a partner and its lab belongs to the partner. */
function hasTarget(sql: Sql, target: InvitationTarget | null) {
  if (target === null) return sql`true`
  return 'customer_id' in target
    ? sql`l.customer_id = ${target.customer_id} and l.partner_id is null`
    : sql`l.partner_id = ${target.partner_id}`
}
