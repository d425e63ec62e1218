import type { Sql } from '../../platform/database/sql.ts'

export interface Passkey {
  id: string
  name: string
  rp_id: string
  backed_up: boolean
  created_at: Date
  last_used_at: Date | null
}

export interface PasskeyKey {
  id: string
  user_id: string
  rp_id: string
  credential_id: Buffer
  public_key: Buffer
  counter: number
  transports: string[]
  backed_up: boolean
}

/** Bounded by `passkeysPerAccount`. */
export async function listPasskeys(sql: Sql, userId: string): Promise<Passkey[]> {
  return await sql<Passkey[]>`
    select id, name, rp_id, backed_up, created_at, last_used_at from passkeys where user_id = ${userId} order by id`
}

/** For the browser, which chooses among them: those of one domain. */
export async function listCredentials(
  sql: Sql,
  userId: string,
  rpId: string,
): Promise<Pick<PasskeyKey, 'credential_id' | 'transports'>[]> {
  return await sql<Pick<PasskeyKey, 'credential_id' | 'transports'>[]>`
    select credential_id, transports from passkeys where user_id = ${userId} and rp_id = ${rpId} order by id`
}

export async function findPasskey(sql: Sql, credentialId: Buffer): Promise<PasskeyKey | undefined> {
  const [row] = await sql<PasskeyKey[]>`
    select id, user_id, rp_id, credential_id, public_key, counter::float8, transports, backed_up
    from passkeys where credential_id = ${credentialId}`
  return row
}

export type NewPasskey = PasskeyKey & { name: string; created_at: Date }

/** False when the credential is registered. */
export async function insertPasskey(sql: Sql, passkey: NewPasskey): Promise<boolean> {
  const { count } = await sql`insert into passkeys ${sql(
    passkey,
    ...(['id', 'user_id', 'rp_id', 'credential_id', 'public_key', 'counter', 'transports', 'backed_up'] as const),
    ...(['name', 'created_at'] as const),
  )} on conflict do nothing`
  return count === 1
}

/** False when it was removed, or a signature with this counter or a later one was accepted meanwhile. */
export async function recordPasskeyUse(
  sql: Sql,
  { id, counter, backed_up, at }: { id: string; counter: number; backed_up: boolean; at: Date },
): Promise<boolean> {
  const { count } = await sql`
    update passkeys set counter = ${counter}, backed_up = ${backed_up}, last_used_at = ${at}
    where id = ${id} and (counter < ${counter}::bigint or counter = 0 and ${counter}::bigint = 0)`
  return count === 1
}

/** Undefined when the person has no such passkey. */
export async function deletePasskey(sql: Sql, userId: string, id: string): Promise<{ name: string } | undefined> {
  const [row] = await sql<{ name: string }[]>`
    delete from passkeys where user_id = ${userId} and id = ${id} returning name`
  return row
}

export async function deletePasskeysOf(sql: Sql, userId: string): Promise<number> {
  const { count } = await sql`delete from passkeys where user_id = ${userId}`
  return count
}
