import { digestArray, type PageRange, type Sql } from '../../platform/database/sql.ts'

/** Exactly one of the two. */
export type KeyOwner = { customer_id: string } | { partner_id: string }

export interface ApiKey {
  id: string
  name: string
  used_by: string | null
  hint: string
  /** Null: everything. */
  permissions: Record<string, string> | null
  /** The ids of spaces, some of which may have been deleted; null: everywhere. */
  within: string[] | null
  expires_at: Date | null
  /** How far ahead `expires_at` was set, before a rotation brought it closer. */
  lifetime_seconds: number | null
  replaced_by: string | null
  created_by: string | null
  created_at: Date
  last_used_at: Date | null
}

export type NewApiKey = Omit<ApiKey, 'replaced_by' | 'last_used_at'> & { digest: Buffer }

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
  const { customer_id = null, partner_id = null } = owner as { customer_id?: string; partner_id?: string }
  await sql`
    insert into api_keys (id, customer_id, partner_id, name, used_by, digest, hint, permissions, within, expires_at,
      lifetime_seconds, created_by, created_at)
    values (${key.id}, ${customer_id}, ${partner_id}, ${key.name}, ${key.used_by}, ${key.digest}, ${key.hint},
      ${jsonOf(key.permissions)}::jsonb, ${key.within}::uuid[], ${key.expires_at}, ${key.lifetime_seconds},
      ${key.created_by}, ${key.created_at})`
}

/** Those that work and were not rotated: a key and the one that it replaces count as one. */
export async function countApiKeys(sql: Sql, owner: KeyOwner, at: Date): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from api_keys
    where ${ownedBy(sql, owner)} and revoked_at is null and replaced_by is null and (expires_at > ${at}) is not false`
  return row!.count
}

export async function findApiKeys(sql: Sql, digests: Buffer[], at: Date): Promise<FoundKey[]> {
  return await sql<FoundKey[]>`
    select digest, id, customer_id, partner_id, last_used_at, permissions, within, expires_at from api_keys
    where digest = any(${digestArray(sql, digests)}) and revoked_at is null and (expires_at > ${at}) is not false`
}

/** `since`: keys that expired before it are left out. */
export async function listApiKeys(
  sql: Sql,
  owner: KeyOwner,
  { after, limit }: PageRange,
  since: Date,
): Promise<ApiKey[]> {
  return await sql<ApiKey[]>`
    select ${columns(sql)} from api_keys
    where ${ownedBy(sql, owner)} and id > ${after} and ${isListed(sql, since)} order by id limit ${limit}`
}

/** Those that expire within a time and were not rotated. */
export async function listExpiringKeys(
  sql: Sql,
  owner: KeyOwner,
  { after, limit }: PageRange,
  { from, to }: { from: Date; to: Date },
): Promise<ApiKey[]> {
  return await sql<ApiKey[]>`
    select ${columns(sql)} from api_keys
    where ${ownedBy(sql, owner)} and id > ${after} and revoked_at is null and replaced_by is null
      and expires_at > ${from} and expires_at <= ${to}
    order by id limit ${limit}`
}

export async function findApiKey(sql: Sql, owner: KeyOwner, id: string, since: Date): Promise<ApiKey | undefined> {
  const [row] = await sql<ApiKey[]>`
    select ${columns(sql)} from api_keys where id = ${id} and ${ownedBy(sql, owner)} and ${isListed(sql, since)}`
  return row
}

export async function lockApiKey(sql: Sql, owner: KeyOwner, id: string, since: Date): Promise<ApiKey | undefined> {
  const [row] = await sql<ApiKey[]>`
    select ${columns(sql)} from api_keys where id = ${id} and ${ownedBy(sql, owner)} and ${isListed(sql, since)}
    for no key update`
  return row
}

type Changed = Pick<ApiKey, 'name' | 'used_by' | 'permissions' | 'within' | 'expires_at' | 'lifetime_seconds'>

/** Another expiry is announced anew. */
export async function updateApiKey(sql: Sql, id: string, key: Changed): Promise<ApiKey> {
  const [row] = await sql<ApiKey[]>`
    update api_keys set name = ${key.name}, used_by = ${key.used_by}, permissions = ${jsonOf(key.permissions)}::jsonb,
      within = ${key.within}::uuid[], expires_at = ${key.expires_at}, lifetime_seconds = ${key.lifetime_seconds},
      expiry_announced_at = case when expires_at is not distinct from ${key.expires_at} then expiry_announced_at end
    where id = ${id}
    returning ${columns(sql)}`
  return row!
}

/** `until`: how long the replaced key works on, unless it expires before. The one that it had replaced itself ends at once. */
export async function replaceApiKey(
  sql: Sql,
  owner: KeyOwner,
  id: string,
  { by, at, until }: { by: string; at: Date; until: Date },
): Promise<void> {
  await sql`
    update api_keys set expires_at = least(expires_at, case id when ${id} then ${until}::timestamptz else ${at} end),
      replaced_by = case id when ${id} then ${by}::uuid else replaced_by end
    where ${ownedBy(sql, owner)} and revoked_at is null
      and (id = ${id} or (replaced_by = ${id} and (expires_at > ${at}) is not false))`
}

export async function revokeApiKey(
  sql: Sql,
  owner: KeyOwner,
  id: string,
  { at, since }: { at: Date; since: Date },
): Promise<ApiKey | undefined> {
  const [row] = await sql<ApiKey[]>`
    update api_keys set revoked_at = ${at} where id = ${id} and ${ownedBy(sql, owner)} and ${isListed(sql, since)}
    returning ${columns(sql)}`
  return row
}

/** Null when it is revoked. Whoever revokes or changes it waits for the end of the transaction. */
export async function shareApiKey(sql: Sql, id: string): Promise<Pick<ApiKey, 'permissions' | 'within'> | null> {
  const [row] = await sql<Pick<ApiKey, 'permissions' | 'within'>[]>`
    select permissions, within from api_keys where id = ${id} and revoked_at is null for share`
  return row ?? null
}

export type ExpiringKey = Pick<ApiKey, 'id' | 'name' | 'hint'> & {
  customer_id: string | null
  partner_id: string | null
  expires_at: Date
}

/** Marks those that expire soon, each once. Skips locked rows: what is being changed or announced by another process. */
export async function markExpiringKeys(
  sql: Sql,
  { at, until }: { at: Date; until: Date },
  max: number,
): Promise<ExpiringKey[]> {
  return await sql<ExpiringKey[]>`
    update api_keys set expiry_announced_at = ${at}
    where id = any(array(
      select id from api_keys
      where expires_at > ${at} and expires_at <= ${until} and expiry_announced_at is null and revoked_at is null
        and replaced_by is null
      order by expires_at limit ${max} for no key update skip locked))
    returning id, name, hint, customer_id, partner_id, expires_at`
}

/** False when the key is revoked; else it cannot be revoked until the transaction ends. It had not expired when the request came. */
export async function holdApiKey(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`select 1 from api_keys where id = ${id} and revoked_at is null for share`
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

function columns(sql: Sql) {
  return sql`id, name, used_by, hint, permissions, within, expires_at, lifetime_seconds, replaced_by, created_by,
    created_at, last_used_at`
}

function isListed(sql: Sql, since: Date) {
  return sql`revoked_at is null and (expires_at > ${since}) is not false`
}

const jsonOf = (value: object | null) => (value === null ? null : JSON.stringify(value))

function ownedBy(sql: Sql, owner: KeyOwner) {
  return 'customer_id' in owner ? sql`customer_id = ${owner.customer_id}` : sql`partner_id = ${owner.partner_id}`
}
