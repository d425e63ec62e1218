import { transaction } from '../../platform/database/database.ts'
import { wakeAfterCommit } from '../../platform/database/sql.ts'
import { newestFirst, type Page, type PageRequest, toPage } from '../../platform/http/pagination.ts'
import { mailAddress } from '../../platform/mail-address.ts'
import { mailLimits } from '../../platform/own-limits.ts'
import { conflict, found, invalid, Refusal } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import * as store from '../store/mail-log-sql.ts'
import { mailsQueuedTopic, openContent, queueMail } from './mail-queue.ts'
import type { NewMail } from './new-mail.ts'
import { renderText, serviceName } from './render-mail.ts'
import { attemptMail } from './smtp-attempt.ts'

export type { MailBacklog } from '../store/mail-log-sql.ts'
export { maxCountedMails } from '../store/mail-log-sql.ts'

export interface ListedMail extends Omit<store.MailRow, 'content' | 'attempting'> {
  /** An attempt is being made now. */
  under_way: boolean
}

export interface ReadableMail extends ListedMail {
  /** Only in a lab without a mail server: nobody else may read a link that is meant for one person. */
  content: { text: string; link: string | null } | null
}

export async function listMails(
  context: Context,
  { state, recipient, ...request }: store.MailFilter & PageRequest,
): Promise<Page<ListedMail>> {
  const range = newestFirst(request)
  const rows = await store.listMails(context.sql, { state, recipient: recipient?.trim().toLowerCase() }, range)
  return toPage(rows.map(toListed), range, ({ id }) => id)
}

export async function getMail(context: Context, id: string): Promise<ReadableMail> {
  return toReadable(context, found(await store.findMail(context.sql, id), 'mail'))
}

function toReadable(context: Context, { content: sealed, ...row }: store.MailRow): ReadableMail {
  const readable = context.config.lab && !context.mail.delivers && row.state === 'kept' && sealed
  const content = readable ? openContent(context, sealed) : null
  return {
    ...toListed(row),
    content: content && { text: renderText(content), link: content.action?.url ?? null },
  }
}

function toListed({ attempting, next_attempt_at, ...row }: Omit<store.MailRow, 'content'>): ListedMail {
  // During an attempt it is the end of the lease.
  return { ...row, under_way: attempting, next_attempt_at: attempting ? null : next_attempt_at }
}

/** Tries a mail that waits now instead of later. One that is over cannot be sent again: its content was erased. */
export async function retryMail(context: Context, id: string): Promise<ReadableMail> {
  return await transaction(context.sql, async (sql) => {
    const hurried = await store.hurryMail(sql, id, context.now())
    const mail = toReadable(context, found(await store.findMail(sql, id), 'mail'))
    if (mail.under_way) throw conflict('mail_under_way', 'It is being sent right now.')
    if (!hurried) {
      const sentence = 'It does not wait to be sent, and its content was erased. Cause it once more to send it again.'
      throw conflict('mail_not_queued', sentence)
    }
    wakeAfterCommit(sql, mailsQueuedTopic)
    return mail
  })
}

const testMilliseconds = 20_000

/** Sent at once, so that the operator reads what the mail server says. */
export async function sendTestMail(context: Context, to: string): Promise<ReadableMail> {
  const recipient = mailAddress(to.trim())?.toLowerCase()
  if (!recipient) throw invalid({ field: 'to', message: 'must be an address such as ada@example.com' })
  if (!context.mail.enabled) {
    const sentence = 'There is no mail server. Set LANDBRIDGE_MAIL_URL and LANDBRIDGE_MAIL_FROM.'
    throw conflict('mail_not_configured', sentence)
  }
  if (!(await context.limits.take('mail test', mailLimits.testsPerMinute))) {
    const sentence = 'Too many test mails were sent. Try again in a minute.'
    throw new Refusal(429, 'too_many_requests', sentence, { retryAfter: 60 })
  }
  const mail = testMail(context, recipient)
  const settings = context.config.mail
  if (!settings) {
    await transaction(context.sql, (sql) => queueMail(context, sql, [mail]))
    const [kept] = (await listMails(context, { recipient, limit: 1 })).items
    return await getMail(context, kept!.id)
  }
  const [id, created_at] = [newId(), context.now()]
  const { kind, subject } = mail
  const outgoing = { id, recipient, subject, created_at, content: mail }
  const { kind: outcome, response, failure } = await attemptMail(settings, outgoing, { attemptMs: testMilliseconds })
  const state = outcome === 'sent' ? 'sent' : 'failed'
  context.countMail(state === 'sent' ? 'sent' : 'give_up')
  const attempted = { id, kind, recipient, subject, created_at, state, response, failure } as const
  await transaction(context.sql, (sql) => store.insertAttemptedMail(sql, attempted))
  return await getMail(context, id)
}

function testMail({ addresses }: Context, to: string): NewMail {
  return {
    ...{ to, kind: 'test', subject: `Test mail of ${serviceName}` },
    paragraphs: [
      'It works: this service can send mail.',
      'The operator asked for this mail in the console. Nothing else needs to be done.',
    ],
    action: { label: 'Open the portal', url: addresses.publicUrl },
  }
}

export async function readMailBacklog({ sql, now }: Context, signal: AbortSignal): Promise<store.MailBacklog> {
  return await store.readMailBacklog(sql, now(), signal)
}

/** Without the credentials. */
export function describeMailServer({ config: { mail }, mail: { enabled } }: Context) {
  if (!mail) return { state: enabled ? ('kept' as const) : ('none' as const), address: null, from: null }
  const { host, port, implicitTls, thisMachine, from } = mail
  const scheme = implicitTls ? 'smtps' : 'smtp'
  const encrypted = implicitTls || !thisMachine
  const address = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${encrypted ? '' : ' (not encrypted)'}`
  return { state: 'sends' as const, address, from: from.name ? `${from.name} <${from.address}>` : from.address }
}
