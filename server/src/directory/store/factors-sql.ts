import { type Age, agedBefore, type Sql } from '../../platform/database/sql.ts'

/** What a person has besides the password. */
export interface Factors {
  /** Domains of the passkeys, one for each. */
  passkey_domains: string[]
  totp: boolean
  recovery_codes_left: number
}

export async function findFactors(sql: Sql, userId: string): Promise<Factors> {
  const [row] = await sql<[Factors]>`
    select
      array(select rp_id from passkeys where user_id = ${userId} order by id) as passkey_domains,
      exists (select from totp_factors where user_id = ${userId} and enabled_at is not null) as totp,
      (select count(*)::int from recovery_codes where user_id = ${userId} and used_at is null) as recovery_codes_left`
  return row
}

export interface TotpFactor {
  secret: Buffer
  last_step: number
  created_at: Date
  enabled_at: Date | null
}

export async function findTotp(sql: Sql, userId: string): Promise<TotpFactor | undefined> {
  const [row] = await sql<TotpFactor[]>`
    select secret, last_step::float8, created_at, enabled_at from totp_factors where user_id = ${userId}`
  return row
}

/** Replaces one that was begun before `staleBefore` and never enabled; a younger one stays, so that two clicks show the same. */
export async function beginTotp(
  sql: Sql,
  { user_id, secret, created_at }: { user_id: string; secret: Buffer; created_at: Date },
  staleBefore: Date,
): Promise<void> {
  await sql`
    insert into totp_factors as factor (user_id, secret, last_step, created_at)
    values (${user_id}, ${secret}, 0, ${created_at})
    on conflict (user_id) do update set secret = excluded.secret, created_at = excluded.created_at
    where factor.enabled_at is null and factor.created_at < ${staleBefore}`
}

/** False when it was enabled or replaced meanwhile. */
export async function enableTotp(
  sql: Sql,
  { user_id, secret, step, at }: { user_id: string; secret: Buffer; step: number; at: Date },
): Promise<boolean> {
  const { count } = await sql`
    update totp_factors set enabled_at = ${at}, last_step = ${step}
    where user_id = ${user_id} and secret = ${secret} and enabled_at is null`
  return count === 1
}

/** False when this step or a later one was used: of two requests with the same code, one succeeds. */
export async function spendTotpStep(sql: Sql, userId: string, secret: Buffer, step: number): Promise<boolean> {
  const { count } = await sql`
    update totp_factors set last_step = ${step}
    where user_id = ${userId} and secret = ${secret} and enabled_at is not null and last_step < ${step}`
  return count === 1
}

/** Whether there was an enabled one. */
export async function deleteTotp(sql: Sql, userId: string): Promise<boolean> {
  const rows = await sql<{ enabled_at: Date | null }[]>`
    delete from totp_factors where user_id = ${userId} returning enabled_at`
  return rows.some(({ enabled_at }) => enabled_at !== null)
}

export async function deleteRecoveryCodes(sql: Sql, userId: string): Promise<void> {
  await sql`delete from recovery_codes where user_id = ${userId}`
}

export async function insertRecoveryCodes(sql: Sql, userId: string, digests: Buffer[], at: Date): Promise<void> {
  await sql`
    insert into recovery_codes (user_id, digest, created_at)
    select ${userId}, decode(digest, 'hex'), ${at} from unnest(${digests.map((one) => one.toString('hex'))}::text[]) digest`
}

/** False when it is unknown or was used: of two requests with the same code, one succeeds. */
export async function spendRecoveryCode(sql: Sql, userId: string, digest: Buffer, at: Date): Promise<boolean> {
  const { count } = await sql`
    update recovery_codes set used_at = ${at} where user_id = ${userId} and digest = ${digest} and used_at is null`
  return count === 1
}

/** False when it was spent before. */
export async function spendChallenge(sql: Sql, digest: Buffer, expiresAt: Date): Promise<boolean> {
  const { count } = await sql`
    insert into spent_challenges (digest, expires_at) values (${digest}, ${expiresAt}) on conflict do nothing`
  return count === 1
}

export async function deleteExpiredChallenges(sql: Sql, age: Age, max: number): Promise<number> {
  const { count } = await sql`
    delete from spent_challenges where digest = any(array(
      select digest from spent_challenges where expires_at < ${agedBefore(sql, age)}
      order by expires_at limit ${max} for update skip locked))`
  return count
}
