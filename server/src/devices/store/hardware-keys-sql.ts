import type { Sql } from '../../platform/database/sql.ts'

export interface HardwareKeyRow {
  id: string
  model_id: string
  sealed: Buffer
  created_at: Date
  revoked_at: Date | null
  uses: bigint
  last_used_at: Date | null
}

export async function insertHardwareKey(
  sql: Sql,
  key: { id: string; model_id: string; digest: Buffer; sealed: Buffer; created_at: Date },
): Promise<void> {
  await sql`insert into hardware_keys ${sql(key, 'id', 'model_id', 'digest', 'sealed', 'created_at')}`
}

/** In order of creation. */
export async function listHardwareKeys(sql: Sql, modelId: string): Promise<HardwareKeyRow[]> {
  return await sql<HardwareKeyRow[]>`
    select id, model_id, sealed, created_at, revoked_at, uses, last_used_at from hardware_keys
    where model_id = ${modelId} order by id`
}

export async function countHardwareKeys(sql: Sql, modelId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from hardware_keys where model_id = ${modelId}`
  return row!.count
}

export async function revokeHardwareKey(sql: Sql, modelId: string, id: string, at: Date): Promise<boolean> {
  const { count } = await sql`
    update hardware_keys set revoked_at = coalesce(revoked_at, ${at}) where id = ${id} and model_id = ${modelId}`
  return count === 1
}

export interface HardwareKeyOwner {
  hardware_key_id: string
  model_id: string
  partner_id: string
  revoked_at: Date | null
  /** The values that are alarms, by key. */
  alarming: Record<string, unknown[]> | null
}

/** The caller compares the model and checks for revocation. */
export async function findHardwareKeyOwner(sql: Sql, digest: Buffer): Promise<HardwareKeyOwner | undefined> {
  const [row] = await sql<HardwareKeyOwner[]>`
    select key.id as hardware_key_id, key.model_id, model.partner_id, key.revoked_at, model.alarming
    from hardware_keys key join models model on model.id = key.model_id
    where key.digest = ${digest}`
  return row
}

/**
 * The last statement of a registration: false when the key was revoked meanwhile. A revocation waits for registrations
 * that hold the key, other registrations do not.
 */
export async function holdHardwareKey(sql: Sql, id: string): Promise<boolean> {
  const [row] = await sql`select from hardware_keys where id = ${id} and revoked_at is null for share`
  return row !== undefined
}

/** Rows are locked in the order of their ids, so that two processes cannot deadlock. */
export async function countHardwareKeyUses(sql: Sql, uses: ReadonlyMap<string, number>, at: Date): Promise<void> {
  await sql`
    with used as materialized (
      select key.id, used.uses
      from unnest(${[...uses.keys()]}::uuid[], ${[...uses.values()]}::int[]) as used (id, uses)
      join hardware_keys key on key.id = used.id
      order by key.id
      for no key update of key
    )
    update hardware_keys key set uses = key.uses + used.uses, last_used_at = greatest(key.last_used_at, ${at})
    from used where key.id = used.id`
}
