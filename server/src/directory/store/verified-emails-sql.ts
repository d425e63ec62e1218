import type { Sql } from '../../platform/database/sql.ts'

export interface EmailHolder {
  id: string
  email: string
  name: string
  email_verified: boolean
}

/**
 * The account that is to have an email, and the one that has it, until the transaction ends. In the order of their ids, so
 * that two accounts that exchange emails cannot deadlock.
 */
export async function lockHolders(sql: Sql, userId: string | null, email: string): Promise<EmailHolder[]> {
  return await sql<EmailHolder[]>`
    select id, email, name, email_verified from users
    where id = ${userId}::uuid or lower(email) = lower(${email})
    order by id for no key update`
}

export async function setVerifiedEmail(sql: Sql, userId: string, email: string): Promise<void> {
  await sql`update users set email = ${email}, email_verified = true where id = ${userId}`
}

/** Of an account whose email somebody else has proven to be theirs, or of an owner who never proved it before. */
export async function deleteFactorsOf(sql: Sql, userId: string): Promise<void> {
  await sql`
    with keys as (delete from passkeys where user_id = ${userId}),
      apps as (delete from totp_factors where user_id = ${userId})
    delete from recovery_codes where user_id = ${userId}`
}

/** True at the first sign-in ever, for one of any number at once. */
export async function setFirstSignIn(sql: Sql, userId: string, at: Date): Promise<boolean> {
  const { count } = await sql`
    update users set first_signed_in_at = ${at} where id = ${userId} and first_signed_in_at is null`
  return count === 1
}

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

/** The first active administrators of each customer who want this kind of mail. */
export async function findAdministratorsToMail(
  sql: Sql,
  customerIds: readonly string[],
  { kind, max }: { kind: string; max: number },
): Promise<(Recipient & { customer_id: string })[]> {
  return await sql<(Recipient & { customer_id: string })[]>`
    select wanted.customer_id, first.id, first.email, first.name
    from unnest(${[...new Set(customerIds)]}::uuid[]) as wanted (customer_id)
    cross join lateral (
      select u.id, u.email, u.name from memberships m join users u on u.id = m.user_id
      where m.customer_id = wanted.customer_id and m.role = 'administrator' and m.active
        and u.email not like '%@released.invalid' and not ${kind} = any(u.mails_off)
      limit ${max}) first`
}

/** The first members of each partner who want this kind of mail. */
export async function findPartnerMembersToMail(
  sql: Sql,
  partnerIds: readonly string[],
  { kind, max }: { kind: string; max: number },
): Promise<(Recipient & { partner_id: string })[]> {
  return await sql<(Recipient & { partner_id: string })[]>`
    select wanted.partner_id, first.id, first.email, first.name
    from unnest(${[...new Set(partnerIds)]}::uuid[]) as wanted (partner_id)
    cross join lateral (
      select u.id, u.email, u.name from partner_members m join users u on u.id = m.user_id
      where m.partner_id = wanted.partner_id and u.email not like '%@released.invalid' and not ${kind} = any(u.mails_off)
      limit ${max}) first`
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
