import { type Age, agedBefore, type Sql } from '../../platform/database/sql.ts'

export interface NewEmailCode {
  /** The account that is to have the email, or the invitation that is accepted with it. */
  owner_id: string
  browser: Buffer
  email: string
  digest: Buffer
  created_at: Date
  expires_at: Date
}

/** A new code replaces the one before, with its tries. */
export async function replaceEmailCode(sql: Sql, code: NewEmailCode): Promise<void> {
  await sql`
    insert into email_codes ${sql(code, 'owner_id', 'browser', 'email', 'digest', 'created_at', 'expires_at')}
    on conflict (owner_id) do update set
      browser = excluded.browser, email = excluded.email, digest = excluded.digest, tries = 0,
      created_at = excluded.created_at, expires_at = excluded.expires_at, used_at = null`
}

export interface OpenCode {
  email: string
  digest: Buffer
  tries: number
}

export interface CodeHolder {
  owner_id: string
  browser: Buffer
}

/** Counts a try, however many come at once; undefined when there is no code, or no try left. */
export async function takeTry(
  sql: Sql,
  { owner_id, browser }: CodeHolder,
  { at, max }: { at: Date; max: number },
): Promise<OpenCode | undefined> {
  const [row] = await sql<OpenCode[]>`
    update email_codes set tries = tries + 1
    where owner_id = ${owner_id} and browser = ${browser} and used_at is null and expires_at > ${at} and tries < ${max}
    returning email, digest, tries`
  return row
}

export async function findOpenCode(
  sql: Sql,
  { owner_id, browser }: CodeHolder,
  { at, max }: { at: Date; max: number },
): Promise<{ email: string } | undefined> {
  const [row] = await sql<{ email: string }[]>`
    select email from email_codes
    where owner_id = ${owner_id} and browser = ${browser} and used_at is null and expires_at > ${at} and tries < ${max}`
  return row
}

/** Of any number of simultaneous uses exactly one gets true, and none once the code was replaced. */
export async function spendEmailCode(sql: Sql, ownerId: string, digest: Buffer, at: Date): Promise<boolean> {
  const { count } = await sql`
    update email_codes set used_at = ${at}
    where owner_id = ${ownerId} and digest = ${digest} and used_at is null and expires_at > ${at}`
  return count === 1
}

export async function deleteExpiredCodes(sql: Sql, age: Age, max: number): Promise<number> {
  const { count } = await sql`
    delete from email_codes where owner_id = any(array(
      select owner_id from email_codes where expires_at < ${agedBefore(sql, age)}
      order by expires_at limit ${max} for update skip locked))`
  return count
}
