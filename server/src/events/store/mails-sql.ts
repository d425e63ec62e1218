import { type Age, agedBefore, type Sql } from '../../platform/database/sql.ts'

export type MailState = 'queued' | 'sent' | 'failed' | 'dropped' | 'kept'

export interface NewMailRow {
  id: string
  kind: string
  recipient: string
  subject: string
  content: Buffer
  user_id: string | null
  customer_id: string | null
  useful_until: string
  urgent: boolean
  /** Its address is not one that mail is sent to. */
  refused: boolean
}

/** The first key of the advisory locks of recipients. */
const recipientLockClass = 0x6d61696c

/**
 * Until the end of the transaction, so that mails that are queued at the same moment are counted one after the other. Few
 * locks for many recipients, always in the same order.
 */
export async function lockRecipients(sql: Sql, recipients: string[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(${recipientLockClass}::int, slot) from (
      select distinct hashtext(recipient) & 63 as slot from unnest(${recipients}::text[]) as mail (recipient)
      order by slot offset 0) slots`
}

export interface MailBounds {
  now: Date
  /** Mails before are not counted. */
  since: Date
  /** The state of those that are taken. */
  waiting: 'queued' | 'kept'
  /** To one recipient; as many more are recorded as dropped, and the rest not at all. */
  perKind: number
}

/** Returns how many were taken. */
export async function insertMails(sql: Sql, rows: NewMailRow[], bounds: MailBounds): Promise<number> {
  const column = <Key extends keyof NewMailRow>(key: Key) => rows.map((row) => row[key])
  const { now, since, waiting, perKind } = bounds
  const [row] = await sql<{ count: number }[]>`
    with given as (
      select *, row_number() over (partition by recipient, kind order by id) as nth
      from unnest(
        ${column('id')}::uuid[], ${column('kind')}::text[], ${column('recipient')}::text[], ${column('subject')}::text[],
        ${rows.map(({ content }) => content.toString('hex'))}::text[], ${column('user_id')}::uuid[],
        ${column('customer_id')}::uuid[], ${column('useful_until')}::timestamptz[],
        ${rows.map(({ urgent }) => String(urgent))}::text[]::boolean[],
        ${rows.map(({ refused }) => String(refused))}::text[]::boolean[]
      ) as mail (id, kind, recipient, subject, content, user_id, customer_id, useful_until, urgent, refused)
    ), counted as (
      select given.*, given.nth + (
          select count(*) from (
            select from mails where recipient = given.recipient and kind = given.kind and created_at > ${since}
            limit ${2 * perKind}) earlier) as number
      from given
    ), judged as (
      select *, case
          when refused then 'The address is not one that mail is sent to.'
          when number > ${perKind} then 'The recipient had too many mails of this kind within an hour.'
        end as failure
      from counted where number <= ${2 * perKind}
    ), inserted as (
      insert into mails (id, kind, recipient, subject, content, user_id, customer_id, created_at, useful_until, urgent,
        state, next_attempt_at, failure)
      select id, kind, recipient, subject, case when failure is null then decode(content, 'hex') end, user_id,
        customer_id, ${now}, useful_until, urgent, case when failure is null then ${waiting} else 'dropped' end,
        case when failure is null and ${waiting} = 'queued' then ${now}::timestamptz end, failure
      from judged
      returning state
    )
    select count(*) filter (where state <> 'dropped')::int as count from inserted`
  return row!.count
}

export interface ClaimedMail {
  id: string
  kind: string
  recipient: string
  subject: string
  content: Buffer
  created_at: Date
  useful_until: Date
  attempts: number
  /** To an earlier attempt. */
  response: string | null
}

/** Mails that a person is waiting for come first, then those that have been due longest. */
export async function claimDueMails(
  sql: Sql,
  { now, leaseUntil, limit }: { now: Date; leaseUntil: Date; limit: number },
): Promise<ClaimedMail[]> {
  const due = (urgent: boolean) => sql`
    select id from mails where urgent = ${urgent} and next_attempt_at <= ${now}
    order by next_attempt_at limit ${limit} for update skip locked`
  return await sql<ClaimedMail[]>`
    with urgent as materialized (${due(true)}), other as materialized (${due(false)})
    update mails set attempting = true, attempts = attempts + 1, attempted_at = ${now}, next_attempt_at = ${leaseUntil}
    where id = any(array(select id from (select id from urgent union all select id from other) due limit ${limit}))
    returning id, kind, recipient, subject, content, created_at, useful_until, attempts, response`
}

/** Of an attempt that is under way, the end of its lease. */
export async function findNextMail(sql: Sql): Promise<Date | null> {
  const first = (urgent: boolean) => sql`(
    select next_attempt_at from mails where urgent = ${urgent} and next_attempt_at is not null
    order by next_attempt_at limit 1)`
  const [row] = await sql<{ at: Date | null }[]>`select least(${first(true)}, ${first(false)}) as at`
  return row!.at
}

export interface MailSettlement {
  id: string
  attempts: number
  state: 'queued' | 'sent' | 'failed'
  next_attempt_at: Date | null
  response: string | null
  failure: string | null
}

/** Without an effect when the lease was lost: another process has it now. */
export async function settleMail(sql: Sql, settlement: MailSettlement): Promise<void> {
  await sql`
    update mails set attempting = false, content = case when ${settlement.state} = 'queued' then content end,
      ${sql(settlement, 'state', 'next_attempt_at', 'response', 'failure')}
    where id = ${settlement.id} and attempts = ${settlement.attempts} and attempting`
}

/** Those that still wait are kept: they end by themselves. */
export async function deleteOldMails(sql: Sql, age: Age, limit: number): Promise<number> {
  const { count } = await sql`
    delete from mails where id = any(array(
      select id from mails where created_at < ${agedBefore(sql, age)} and next_attempt_at is null
      order by created_at limit ${limit} for update skip locked))`
  return count
}
