import { digestArray, type PageRange, type Sql } from '../../platform/database/sql.ts'

/** Exactly one of the two. */
export type KeyOwner = { customer_id: string } | { partner_id: string }

export interface ApiKey {
  id: string
  name: string
  hint: string
  created_by: string | null
  created_at: Date
  last_used_at: Date | null
}

export interface NewApiKey {
  id: string
  name: string
  digest: Buffer
  hint: string
  created_by: string | null
  created_at: Date
}

/** The owner of a presented key, and what it may do. */
export interface KeyHolder {
  id: string
  customer_id: string | null
  partner_id: string | null
  /** Null: everything. */
  permissions: Record<string, string> | null
  within: string[] | null
  expires_at: Date | null
}

interface FoundKey extends KeyHolder {
  digest: Buffer
  last_used_at: Date | null
}

export async function insertApiKey(sql: Sql, owner: KeyOwner, key: NewApiKey): Promise<void> {
  await sql`insert into api_keys ${sql({ ...key, ...owner })}`
}

/** Live ones. */
export async function countApiKeys(sql: Sql, owner: KeyOwner): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from api_keys where ${ownedBy(sql, owner)} and revoked_at is null`
  return row!.count
}

export async function findApiKeys(sql: Sql, digests: Buffer[], at: Date): Promise<FoundKey[]> {
  return await sql<FoundKey[]>`
    select digest, id, customer_id, partner_id, last_used_at, permissions, within, expires_at from api_keys
    where digest = any(${digestArray(sql, digests)}) and revoked_at is null and (expires_at > ${at}) is not false`
}

export async function listApiKeys(sql: Sql, owner: KeyOwner, { after, limit }: PageRange): Promise<ApiKey[]> {
  return await sql<ApiKey[]>`
    select id, name, hint, created_by, created_at, last_used_at from api_keys
    where ${ownedBy(sql, owner)} and id > ${after} and revoked_at is null order by id limit ${limit}`
}

export async function findApiKey(sql: Sql, owner: KeyOwner, id: string): Promise<ApiKey | undefined> {
  const [row] = await sql<ApiKey[]>`
    select id, name, hint, created_by, created_at, last_used_at from api_keys
    where id = ${id} and ${ownedBy(sql, owner)} and revoked_at is null`
  return row
}

export async function revokeApiKey(sql: Sql, owner: KeyOwner, id: string, at: Date): Promise<ApiKey | undefined> {
  const [row] = await sql<ApiKey[]>`
    update api_keys set revoked_at = ${at} where id = ${id} and ${ownedBy(sql, owner)} and revoked_at is null
    returning id, name, hint, created_by, created_at, last_used_at`
  return row
}

/** False when the key is revoked; else it cannot be revoked until the transaction ends. */
export async function holdApiKey(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`
    select 1 from api_keys where id = ${id} and revoked_at is null and (expires_at > now()) is not false for share`
  return rows.length > 0
}

export async function findKeyCreator(sql: Sql, id: string): Promise<string | null> {
  const [row] = await sql<{ created_by: string | null }[]>`select created_by from api_keys where id = ${id}`
  return row?.created_by ?? null
}

/** Skips locked rows: a key that is being revoked needs no newer date. */
export async function touchApiKeys(sql: Sql, ids: string[], at: Date): Promise<void> {
  await sql`
    update api_keys set last_used_at = ${at}
    where id in (select id from api_keys where id = any(${ids}) and revoked_at is null for no key update skip locked)`
}

function ownedBy(sql: Sql, owner: KeyOwner) {
  return 'customer_id' in owner ? sql`customer_id = ${owner.customer_id}` : sql`partner_id = ${owner.partner_id}`
}
