import { type Age, agedBefore, type Sql } from '../database/sql.ts'

export interface KeptAnswer {
  body_digest: Buffer
  reserved_at: Date
  carried_out: boolean
  status: number | null
  content_type: string | null
  answer: Buffer | null
}

export interface Call {
  digest: Buffer
  bodyDigest: Buffer
  /** Random, since a row can go and come back: no two attempts have one number. */
  attempt: number
  at: Date
  /** Reserved before this: whoever did is taken for dead. */
  deadBefore: Date
  forgottenBefore: Date
}

/** Whether the attempt may now carry the call out; false when another one has it or had it. */
export async function reserveCall(sql: Sql, call: Call): Promise<boolean> {
  const { count } = await sql`
    insert into idempotency_keys as kept (digest, body_digest, attempt, reserved_at)
    values (${call.digest}, ${call.bodyDigest}, ${call.attempt}, ${call.at})
    on conflict (digest) do update set
      body_digest = excluded.body_digest, attempt = excluded.attempt, reserved_at = excluded.reserved_at,
      carried_out = false, status = null, content_type = null, answer = null
    where kept.reserved_at <= ${call.forgottenBefore}
      or (kept.reserved_at <= ${call.deadBefore} and not kept.carried_out and kept.answer is null
          and kept.body_digest = excluded.body_digest)`
  return count === 1
}

export async function findKeptAnswer(sql: Sql, digest: Buffer): Promise<KeptAnswer | undefined> {
  const [row] = await sql<KeptAnswer[]>`
    select body_digest, reserved_at, carried_out, status, content_type, answer from idempotency_keys
    where digest = ${digest}`
  return row
}

/** False when the attempt was taken for dead and another has its place. */
export async function markCarriedOut(sql: Sql, digest: Buffer, attempt: number): Promise<boolean> {
  const { count } = await sql`
    update idempotency_keys set carried_out = true where digest = ${digest} and attempt = ${attempt}`
  return count === 1
}

export async function keepAnswer(
  sql: Sql,
  digest: Buffer,
  attempt: number,
  { status, content_type, answer }: { status: number; content_type: string | null; answer: Buffer },
): Promise<void> {
  await sql`
    update idempotency_keys set status = ${status}, content_type = ${content_type}, answer = ${answer}
    where digest = ${digest} and attempt = ${attempt}`
}

/** Refused, and nothing was carried out: the key is free again. False when something was. */
export async function releaseCall(sql: Sql, digest: Buffer, attempt: number): Promise<boolean> {
  const { count } = await sql`
    delete from idempotency_keys where digest = ${digest} and attempt = ${attempt} and not carried_out`
  return count === 1
}

export async function deleteKeptAnswers(sql: Sql, age: Age, max: number): Promise<number> {
  const { count } = await sql`
    delete from idempotency_keys where digest = any(array(
      select digest from idempotency_keys where reserved_at < ${agedBefore(sql, age)}
      order by reserved_at limit ${max} for update skip locked))`
  return count
}
