import type { Sql } from '../../platform/database/sql.ts'

export interface PasswordState {
  name: string
  email: string
  /** Null when the password of today was not judged. */
  weak: boolean | null
}

/** Undefined for an unknown person. */
export async function findPasswordState(sql: Sql, userId: string): Promise<PasswordState | undefined> {
  const [row] = await sql<PasswordState[]>`
    select name, email,
      case when judged_password = sha256(convert_to(password_hash, 'UTF8')) then password_weak end as weak
    from users where id = ${userId}`
  return row
}

/** `hash` is the one that was verified: a password that was set meanwhile stays unjudged. */
export async function setPasswordWeak(sql: Sql, userId: string, hash: string, weak: boolean): Promise<void> {
  await sql`
    update users set judged_password = sha256(convert_to(password_hash, 'UTF8')), password_weak = ${weak}
    where id = ${userId} and password_hash = ${hash}`
}
