import { cancelWhen, type PageRange, type Sql } from '../../platform/database/sql.ts'
import type { MailState } from './mails-sql.ts'

export interface MailRow {
  id: string
  kind: string
  recipient: string
  subject: string
  content: Buffer | null
  user_id: string | null
  customer_id: string | null
  created_at: Date
  useful_until: Date
  state: MailState
  attempts: number
  attempting: boolean
  attempted_at: Date | null
  next_attempt_at: Date | null
  response: string | null
  failure: string | null
}

export interface MailFilter {
  state?: MailState | undefined
  recipient?: string | undefined
}

/** Newest first. The statement names only what is filtered by, so that each form uses its own index. */
export async function listMails(
  sql: Sql,
  { state, recipient }: MailFilter,
  { after, limit }: PageRange,
): Promise<Omit<MailRow, 'content'>[]> {
  return await sql<MailRow[]>`
    select ${columns(sql)} from mails
    where id < ${after}
      ${state === undefined ? sql`` : sql`and state = ${state}`}
      ${recipient === undefined ? sql`` : sql`and recipient = ${recipient}`}
    order by id desc limit ${limit}`
}

export async function findMail(sql: Sql, id: string): Promise<MailRow | undefined> {
  const [row] = await sql<MailRow[]>`select content, ${columns(sql)} from mails where id = ${id}`
  return row
}

function columns(sql: Sql) {
  return sql`id, kind, recipient, subject, user_id, customer_id, created_at, useful_until, state, attempts, attempting,
    attempted_at, next_attempt_at, response, failure`
}

/** Due now. False when it does not wait, or an attempt is under way. */
export async function hurryMail(sql: Sql, id: string, now: Date): Promise<boolean> {
  const { count } = await sql`
    update mails set next_attempt_at = ${now} where id = ${id} and state = 'queued' and not attempting`
  return count === 1
}

/** One whose outcome is known already. */
export async function insertAttemptedMail(
  sql: Sql,
  mail: Pick<MailRow, 'id' | 'kind' | 'recipient' | 'subject' | 'created_at' | 'state' | 'response' | 'failure'>,
): Promise<void> {
  const at = mail.created_at
  const row = { ...mail, useful_until: at, attempted_at: at, attempts: 1, urgent: true }
  await sql`insert into mails ${sql(row)}`
}

export interface MailBacklog {
  /** Counted up to `maxCounted`. */
  queued: number
  /** How long the oldest mail that is due has waited; 0 when none is. */
  oldest_due_seconds: number
}

/** Counting stops here: a scrape must cost the same however long the mail server is down. */
export const maxCountedMails = 10_000

export async function readMailBacklog(sql: Sql, now: Date, signal: AbortSignal): Promise<MailBacklog> {
  const first = (urgent: boolean) => sql`(
    select next_attempt_at from mails where urgent = ${urgent} and next_attempt_at is not null
    order by next_attempt_at limit 1)`
  const [row] = await cancelWhen(
    signal,
    sql<[MailBacklog]>`
      select (select count(*) from (
          select from mails where next_attempt_at is not null limit ${maxCountedMails}) mail)::float8 as queued,
        coalesce(greatest(0, extract(epoch from ${now} - least(${first(true)}, ${first(false)}))), 0)::float8
          as oldest_due_seconds`,
  )
  return row
}
