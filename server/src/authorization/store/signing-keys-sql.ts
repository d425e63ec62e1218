import { type Age, agedBefore, type Sql } from '../../platform/database/sql.ts'

export interface SigningKey {
  kid: string
  alg: 'RS256' | 'ES256'
  public_jwk: Record<string, string>
  created_at: Date
  signs_from: Date
  retired_at: Date | null
  removed_at: Date | null
}

export async function listSigningKeys(sql: Sql): Promise<SigningKey[]> {
  return await sql<SigningKey[]>`
    select kid, alg, public_jwk, created_at, signs_from, retired_at, removed_at
    from signing_keys order by created_at, kid`
}

export async function findPrivateKey(sql: Sql, kid: string): Promise<Buffer | undefined> {
  const [row] = await sql<{ private_jwk: Buffer }[]>`select private_jwk from signing_keys where kid = ${kid}`
  return row?.private_jwk
}

export async function listPrivateKeys(sql: Sql): Promise<{ kid: string; private_jwk: Buffer }[]> {
  return await sql<{ kid: string; private_jwk: Buffer }[]>`select kid, private_jwk from signing_keys`
}

export async function insertSigningKey(sql: Sql, key: SigningKey & { private_jwk: Buffer }): Promise<void> {
  await sql`
    insert into signing_keys (kid, alg, public_jwk, private_jwk, created_at, signs_from)
    values (${key.kid}, ${key.alg}, ${sql.json(key.public_jwk)}, ${key.private_jwk}, ${key.created_at}, ${key.signs_from})`
}

/** One change of the keys at a time across all processes; readers do not wait. */
export async function lockSigningKeys(sql: Sql): Promise<void> {
  await sql`lock table signing_keys in share row exclusive mode`
}

export async function markRemoved(sql: Sql, kid: string, at: Date): Promise<void> {
  await sql`update signing_keys set removed_at = ${at} where kid = ${kid} and removed_at is null`
}

export async function setSignsFrom(sql: Sql, kid: string, at: Date): Promise<void> {
  await sql`update signing_keys set signs_from = ${at} where kid = ${kid}`
}

export async function deleteSigningKey(sql: Sql, kid: string): Promise<void> {
  await sql`delete from signing_keys where kid = ${kid}`
}

/** Each key retires when the next of its algorithm starts to sign. Keys that are no longer published stay unchanged. */
export async function updateRetirements(sql: Sql, alg: string, publishedSince: Date): Promise<void> {
  await sql`
    update signing_keys k set retired_at = (
      select min(n.signs_from) from signing_keys n
      where n.alg = k.alg and n.removed_at is null and n.signs_from > k.signs_from
    )
    where k.alg = ${alg} and k.removed_at is null and (k.retired_at is null or k.retired_at > ${publishedSince})`
}

export async function firstKeysExist(sql: Sql): Promise<boolean> {
  const rows = await sql`select from first_signing_keys`
  return rows.length > 0
}

/** True for exactly one caller ever, across all processes: the one that creates the first keys. */
export async function claimFirstKeys(sql: Sql, at: Date): Promise<boolean> {
  const rows =
    await sql`insert into first_signing_keys (created_at) values (${at}) on conflict do nothing returning created_at`
  return rows.length > 0
}

export async function deleteUnpublishedKeys(sql: Sql, age: Age): Promise<void> {
  await sql`delete from signing_keys where least(retired_at, removed_at) < ${agedBefore(sql, age)}`
}
