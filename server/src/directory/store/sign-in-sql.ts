import { type Age, agedBefore, type Sql } from '../../platform/database/sql.ts'

export interface Account {
  id: string
  password_hash: string | null
}

export async function findAccount(sql: Sql, email: string): Promise<Account | undefined> {
  const [row] = await sql<Account[]>`select id, password_hash from users where lower(email) = lower(${email})`
  return row
}

export async function findAccountById(sql: Sql, userId: string): Promise<Account | undefined> {
  const [row] = await sql<Account[]>`select id, password_hash from users where id = ${userId}`
  return row
}

/** `expected` is the hash that was verified, so of two changes at once the second does nothing. */
export async function replacePasswordHash(sql: Sql, userId: string, expected: string, next: string): Promise<boolean> {
  const { count } = await sql`
    update users set password_hash = ${next} where id = ${userId} and password_hash = ${expected}`
  return count === 1
}

/** Counts an attempt under each key as if it had failed; returns the counts in the order of the keys. */
export async function countAttempts(sql: Sql, keys: string[], at: Date, windowStart: Date): Promise<number[]> {
  // In one order, independent of the database's collation, so that two attempts cannot deadlock.
  const rows = await sql<{ key: string; failures: number }[]>`
    insert into sign_in_attempts as attempts (key, opened_at, failures)
    select key, ${at}, 1 from unnest(${keys}::text[]) as wanted (key) order by key collate "C"
    on conflict (key) do update set
      failures = case when attempts.opened_at <= ${windowStart} then 1 else attempts.failures + 1 end,
      opened_at = case when attempts.opened_at <= ${windowStart} then ${at} else attempts.opened_at end
    returning key, failures`
  return keys.map((key) => rows.find((row) => row.key === key)!.failures)
}

/** Called after a correct password. */
export async function uncountAttempts(sql: Sql, keys: string[]): Promise<void> {
  await sql`
    update sign_in_attempts set failures = failures - 1
    where failures > 0 and key in (
      select key from sign_in_attempts where key = any(${keys}::text[]) order by key collate "C" for update)`
}

export async function deleteOldAttempts(sql: Sql, age: Age, max: number): Promise<number> {
  const { count } = await sql`
    delete from sign_in_attempts where key = any(array(
      select key from sign_in_attempts where opened_at < ${agedBefore(sql, age)}
      order by opened_at limit ${max} for update skip locked))`
  return count
}
