import { type Age, agedBefore, type Sql } from '../database/sql.ts'

export interface StoredResponse {
  body_digest: Buffer
  reserved_at: Date
  carried_out: boolean
  status: number | null
  content_type: string | null
  response: Buffer | null
}

export interface Call {
  digest: Buffer
  bodyDigest: Buffer
  /** Random, since a row can be deleted and inserted again: no two attempts share a number. */
  attempt: number
  at: Date
  /** An attempt that reserved before this is considered dead. */
  deadBefore: Date
  expiredBefore: Date
}

/** Whether this attempt may execute the call; false when another one is executing it or has done so. */
export async function reserveCall(sql: Sql, call: Call): Promise<boolean> {
  const { count } = await sql`
    insert into idempotency_keys as stored (digest, body_digest, attempt, reserved_at)
    values (${call.digest}, ${call.bodyDigest}, ${call.attempt}, ${call.at})
    on conflict (digest) do update set
      body_digest = excluded.body_digest, attempt = excluded.attempt, reserved_at = excluded.reserved_at,
      carried_out = false, status = null, content_type = null, response = null
    where stored.reserved_at <= ${call.expiredBefore}
      or (stored.reserved_at <= ${call.deadBefore} and not stored.carried_out and stored.response is null
          and stored.body_digest = excluded.body_digest)`
  return count === 1
}

export async function findStoredResponse(sql: Sql, digest: Buffer): Promise<StoredResponse | undefined> {
  const [row] = await sql<StoredResponse[]>`
    select body_digest, reserved_at, carried_out, status, content_type, response from idempotency_keys
    where digest = ${digest}`
  return row
}

/** False when the attempt was considered dead and another has replaced it. */
export async function markCarriedOut(sql: Sql, digest: Buffer, attempt: number): Promise<boolean> {
  const { count } = await sql`
    update idempotency_keys set carried_out = true where digest = ${digest} and attempt = ${attempt}`
  return count === 1
}

export async function storeResponse(
  sql: Sql,
  digest: Buffer,
  attempt: number,
  { status, content_type, response }: { status: number; content_type: string | null; response: Buffer },
): Promise<void> {
  await sql`
    update idempotency_keys set status = ${status}, content_type = ${content_type}, response = ${response}
    where digest = ${digest} and attempt = ${attempt}`
}

/** Frees the key of a refused call. False when the call was executed. */
export async function releaseCall(sql: Sql, digest: Buffer, attempt: number): Promise<boolean> {
  const { count } = await sql`
    delete from idempotency_keys where digest = ${digest} and attempt = ${attempt} and not carried_out`
  return count === 1
}

export async function deleteOldKeys(sql: Sql, age: Age, max: number): Promise<number> {
  const { count } = await sql`
    delete from idempotency_keys where digest = any(array(
      select digest from idempotency_keys where reserved_at < ${agedBefore(sql, age)}
      order by reserved_at limit ${max} for update skip locked))`
  return count
}
