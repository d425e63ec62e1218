import type { PageRange, Sql } from '../../platform/database/sql.ts'
import { anywhere, type Order, searchPage, sortedPage } from './search.ts'
import type { ValidSince } from './sessions-sql.ts'

interface NewUser {
  id: string
  email: string
  name: string
  password_hash: string | null
  created_at: Date
}

/** False when the email already has an account. */
export async function insertUser(sql: Sql, user: NewUser): Promise<boolean> {
  const rows = await sql`
    insert into users ${sql(user, 'id', 'email', 'name', 'password_hash', 'created_at')}
    on conflict (lower(email)) do nothing returning id`
  return rows.length > 0
}

export interface User {
  id: string
  email: string
  name: string
  email_verified: boolean
  created_at: Date
}

export async function findUser(sql: Sql, id: string): Promise<User | undefined> {
  const [row] = await sql<User[]>`
    select id, email, name, email_verified, created_at from users where id = ${id}`
  return row
}

/** Until the transaction ends, the person's memberships do not change. */
export async function lockUser(sql: Sql, id: string): Promise<void> {
  await sql`select from users where id = ${id} for no key update`
}

export async function listUsers(sql: Sql, { after, limit }: PageRange): Promise<User[]> {
  return await sql<User[]>`
    select id, email, name, email_verified, created_at from users where id > ${after} order by id limit ${limit}`
}

const columnsOf = (sql: Sql) => sql`id, email, name, email_verified, created_at`
const textMatches = (sql: Sql, text: string) => sql`lower(' ' || email || ' ' || name) like ${anywhere(text)}`

/** By a part of the email or the name. */
export async function searchUsers(sql: Sql, text: string, range: PageRange): Promise<User[]> {
  return await searchPage<User>(
    sql,
    { columns: columnsOf(sql), table: sql`users`, matches: textMatches(sql, text) },
    range,
  )
}

export type UserSort = 'name' | 'email'

/** All users, or those whom a text finds, by name or email. */
export async function sortUsers(
  sql: Sql,
  { text, by, ...order }: Omit<Order, 'key'> & { text: string | undefined; by: UserSort },
  limit: number,
): Promise<(User & { key: string })[]> {
  const key = by === 'name' ? sql`lower(name)` : sql`lower(email)`
  const matches = text ? textMatches(sql, text) : null
  return await sortedPage<User>(sql, { columns: columnsOf(sql), table: sql`users`, matches }, { ...order, key }, limit)
}

export interface SignInState {
  /** False until an invitation is accepted, and after the email was released. */
  has_password: boolean
  sessions: number
  last_seen_at: Date | null
  reset_link_expires_at: Date | null
}

/** `seenAfter` and `signedInAfter` tell the sessions that are still valid. */
export async function findSignInState(
  sql: Sql,
  id: string,
  { at, seenAfter, signedInAfter }: ValidSince & { at: Date },
): Promise<SignInState> {
  const [row] = await sql<SignInState[]>`
    select password_hash is not null as has_password, valid.sessions, valid.last_seen_at,
      (select max(expires_at) from one_time_links l
       where l.user_id = users.id and purpose = 'password_reset' and used_at is null and expires_at > ${at}
      ) as reset_link_expires_at
    from users cross join lateral (
      select count(*)::int as sessions, max(last_seen_at) as last_seen_at from sessions
      where user_id = users.id and last_seen_at > ${seenAfter} and signed_in_at > ${signedInAfter}) valid
    where id = ${id}`
  return row!
}

export async function findUserByEmail(sql: Sql, email: string): Promise<User | undefined> {
  const [row] = await sql<User[]>`
    select id, email, name, email_verified, created_at from users where lower(email) = lower(${email})`
  return row
}

export async function setPasswordHash(sql: Sql, id: string, passwordHash: string): Promise<void> {
  await sql`update users set password_hash = ${passwordHash} where id = ${id}`
}

/** The account keeps its memberships, but nobody can sign in to it; the email is free for another account. */
export async function releaseEmail(sql: Sql, id: string): Promise<string | undefined> {
  const [row] = await sql<{ email: string }[]>`
    update users set email = id || '@released.invalid', password_hash = null, email_verified = false
    from (select email as before from users where id = ${id} for update) old
    where id = ${id} returning old.before as email`
  return row?.email
}

/** Of people, applications and API keys; other ids have no name. */
export async function findActorNames(sql: Sql, ids: string[]): Promise<{ id: string; name: string }[]> {
  return await sql<{ id: string; name: string }[]>`
    select id, name from users where id = any(${ids}::uuid[])
    union all select client_id, name from applications where client_id = any(${ids}::uuid[])
    union all select id, name from api_keys where id = any(${ids}::uuid[])`
}
