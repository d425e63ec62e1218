import type { PageRange, Sql } from '../../platform/database/sql.ts'

export interface NewUser {
  id: string
  email: string
  name: string
  password_hash: string | null
  created_at: Date
}

/** A known email keeps its name and password: they belong to the person, not to whoever adds them. */
export async function findOrInsertUser(sql: Sql, user: NewUser): Promise<{ id: string; known: boolean }> {
  const [row] = await sql<{ id: string; known: boolean }[]>`
    insert into users ${sql(user, 'id', 'email', 'name', 'password_hash', 'created_at')}
    on conflict (lower(email)) do update set email = users.email
    returning id, id <> ${user.id} as known`
  return row!
}

/** False when the email has an account already. */
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

/** Until the transaction ends, where the person belongs does not change. */
export async function lockUser(sql: Sql, id: string): Promise<void> {
  await sql`select from users where id = ${id} for no key update`
}

export async function listUsers(sql: Sql, { after, limit }: PageRange): Promise<User[]> {
  return await sql<User[]>`
    select id, email, name, email_verified, created_at from users where id > ${after} order by id limit ${limit}`
}

export async function findUserByEmail(sql: Sql, email: string): Promise<User | undefined> {
  const [row] = await sql<User[]>`
    select id, email, name, email_verified, created_at from users where lower(email) = lower(${email})`
  return row
}

export async function setPasswordHash(sql: Sql, id: string, passwordHash: string): Promise<void> {
  await sql`update users set password_hash = ${passwordHash} where id = ${id}`
}
