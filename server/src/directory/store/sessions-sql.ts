import { type Age, agedBefore, type Sql } from '../../platform/database/sql.ts'
import { factorColumns } from './factor-facts-sql.ts'
import { heldRoles, type PortalMembership } from './memberships.ts'

export interface Session {
  digest: Buffer
  /** By which its owner ends it; not a secret. */
  id: string
  user_id: string
  email: string
  name: string
  /** auth_time of the id_token. */
  signed_in_at: Date
  last_seen_at: Date
  /** amr of the id_token (RFC 8176). */
  methods: string[]
  /** When the strongest factor that the account has on this host was last presented; null: not in this session. */
  proved_at: Date | null
  user_agent: string | null
}

interface NewSession {
  digest: Buffer
  user_id: string
  host: string
  /** The hash that was verified; null when no password was checked. */
  password_hash: string | null
  signed_in_at: Date
  last_seen_at: Date
  methods: string[]
  /** Whether a code of an app was the second factor: then `proved_at` is stored only where no passkey of the account works. */
  by_code: boolean
  proved_at: Date | null
  user_agent: string | null
}

/**
 * Keeps the person's password and factors as they are until the transaction ends, so that what is checked next stays true. Not `for share`:
 * a sign-in changes the row afterwards, and of two at once each would wait for the other.
 */
export async function holdUser(sql: Sql, userId: string): Promise<void> {
  await sql`select from users where id = ${userId} for no key update`
}

/**
 * False when the password has changed since it was verified, and when the account has a second factor that was not
 * presented: checked here, so that no way to a session can forget it. The user is held (`holdUser`).
 */
export async function insertSession(sql: Sql, session: NewSession): Promise<boolean> {
  const { digest, user_id, host, password_hash, signed_in_at, last_seen_at, methods, by_code, proved_at, user_agent } =
    session
  const { count } = await sql`
    insert into sessions (digest, user_id, host, signed_in_at, last_seen_at, methods, proved_at, user_agent)
    select ${digest}, id, ${host}, ${signed_in_at}, ${last_seen_at}, ${methods}::text[],
      case when ${by_code} and exists (select from passkeys where user_id = users.id and rp_id = ${host})
        then null else ${proved_at}::timestamptz end,
      ${user_agent}
    from users
    where id = ${user_id} and (${password_hash}::text is null or password_hash = ${password_hash})
      and ('mfa' = any(${methods}::text[]) or not (
        exists (select from totp_factors where user_id = users.id and enabled_at is not null)
        or exists (select from passkeys where user_id = users.id)))`
  return count === 1
}

/** All but those that were used last. */
export async function deleteSessionsBeyond(sql: Sql, userId: string, kept: number): Promise<void> {
  await sql`
    delete from sessions where user_id = ${userId} and digest in (
      select digest from sessions where user_id = ${userId} order by last_seen_at desc, digest offset ${kept})`
}

export async function findSession(sql: Sql, digest: Buffer, host: string): Promise<Session | undefined> {
  const [row] = await sql<Session[]>`
    select digest, sessions.id, user_id, email, name, signed_in_at, last_seen_at, methods, proved_at, user_agent
    from sessions join users on users.id = user_id
    where digest = ${digest} and host = ${host}`
  return row
}

/** A session that an open stream presents, and the customer whose devices it shows. */
export interface OpenSession {
  digest: Buffer
  host: string
  customer_id: string
}

export interface FoundSession extends Omit<PortalMembership, 'customer_id'> {
  position: number
  methods: string[]
  signed_in_at: Date
  last_seen_at: Date
}

/** Those whose user may still see the devices of the customer in the portal. */
export async function findOpenSessions(sql: Sql, wanted: readonly OpenSession[]) {
  return await sql<FoundSession[]>`
    select wanted.position::int, session.signed_in_at, session.last_seen_at, session.methods,
      memberships.role, held, ${factorColumns(sql)}
    from unnest(
      ${wanted.map(({ digest }) => digest.toString('hex'))}::text[],
      ${wanted.map(({ host }) => host)}::text[],
      ${wanted.map(({ customer_id }) => customer_id)}::uuid[]
    ) with ordinality as wanted (digest, host, customer_id, position)
    join sessions session on session.digest = decode(wanted.digest, 'hex') and session.host = wanted.host
    join memberships on memberships.customer_id = wanted.customer_id and memberships.user_id = session.user_id
    join customers on customers.id = memberships.customer_id, ${heldRoles(sql)}
    where memberships.active and (memberships.role = 'administrator' or held <> '[]')`
}

/** False when the session has ended; else it lasts until the transaction ends. */
export async function holdSession(sql: Sql, digest: Buffer): Promise<boolean> {
  const rows = await sql`select 1 from sessions where digest = ${digest} for key share`
  return rows.length === 1
}

export async function touchSession(sql: Sql, digest: Buffer, at: Date): Promise<void> {
  await sql`update sessions set last_seen_at = ${at} where digest = ${digest} and last_seen_at < ${at}`
}

/** What was presented is added to how the session was opened. */
export async function setProvedAt(sql: Sql, digest: Buffer, at: Date, presented: string[]): Promise<boolean> {
  const { count } = await sql`
    update sessions set proved_at = ${at}, methods = methods || array(
      select added from unnest(${presented}::text[]) with ordinality as more (added, position)
      where added <> all (methods) order by position)
    where digest = ${digest}`
  return count === 1
}

export async function deleteSession(sql: Sql, digest: Buffer): Promise<void> {
  await sql`delete from sessions where digest = ${digest}`
}

export async function deleteSessionsOf(sql: Sql, userId: string): Promise<number> {
  const { count } = await sql`delete from sessions where user_id = ${userId}`
  return count
}

/** What tells the sessions that are still valid: used, and started, after these. */
export interface ValidSince {
  seenAfter: Date
  signedInAfter: Date
}

export interface ListedSession {
  id: string
  host: string
  user_agent: string | null
  signed_in_at: Date
  last_seen_at: Date
}

/** The one that was used last is first; there are at most `sessionsPerAccount`. */
export async function listSessionsOf(sql: Sql, userId: string, valid: ValidSince): Promise<ListedSession[]> {
  return await sql<ListedSession[]>`
    select id, host, user_agent, signed_in_at, last_seen_at from sessions
    where user_id = ${userId} and last_seen_at > ${valid.seenAfter} and signed_in_at > ${valid.signedInAfter}
    order by last_seen_at desc, id`
}

export async function deleteSessionOf(sql: Sql, userId: string, id: string): Promise<boolean> {
  const { count } = await sql`delete from sessions where id = ${id} and user_id = ${userId}`
  return count === 1
}

export async function deleteOtherSessions(sql: Sql, userId: string, keptDigest: Buffer): Promise<number> {
  const { count } = await sql`delete from sessions where user_id = ${userId} and digest <> ${keptDigest}`
  return count
}

export async function deleteIdleSessions(sql: Sql, age: Age, max: number): Promise<number> {
  const { count } = await sql`
    delete from sessions where digest = any(array(
      select digest from sessions where last_seen_at < ${agedBefore(sql, age)}
      order by last_seen_at limit ${max} for update skip locked))`
  return count
}
