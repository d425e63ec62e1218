import type { Sql } from '../../platform/database/sql.ts'

export interface EmailHolder {
  id: string
  email: string
  name: string
  email_verified: boolean
}

/**
 * The account that is to have an email, and the one that has it, until the transaction ends. In the order of their ids, so
 * that two accounts that exchange emails cannot deadlock.
 */
export async function lockHolders(sql: Sql, userId: string | null, email: string): Promise<EmailHolder[]> {
  return await sql<EmailHolder[]>`
    select id, email, name, email_verified from users
    where id = ${userId}::uuid or lower(email) = lower(${email})
    order by id for no key update`
}

export async function setVerifiedEmail(sql: Sql, userId: string, email: string): Promise<void> {
  await sql`update users set email = ${email}, email_verified = true where id = ${userId}`
}

/**
 * Of an account whose email somebody else has proven to be theirs, or of an owner who never proved it before. Returns how
 * many passkeys and apps it had.
 */
export async function deleteFactorsOf(sql: Sql, userId: string): Promise<number> {
  const [row] = await sql<[{ removed: number }]>`
    with keys as (delete from passkeys where user_id = ${userId} returning 1),
      apps as (delete from totp_factors where user_id = ${userId} returning enabled_at),
      codes as (delete from recovery_codes where user_id = ${userId})
    select ((select count(*) from keys) + (select count(enabled_at) from apps))::int as removed`
  return row.removed
}

/** True at the first sign-in ever, for one of any number at once. */
export async function setFirstSignIn(sql: Sql, userId: string, at: Date): Promise<boolean> {
  const { count } = await sql`
    update users set first_signed_in_at = ${at} where id = ${userId} and first_signed_in_at is null`
  return count === 1
}
