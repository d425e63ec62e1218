import { type Sql, wakeAfterCommit } from '../../platform/database/sql.ts'
import { mailAddress } from '../../platform/mail-address.ts'
import { mailLimits } from '../../platform/own-limits.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import * as store from '../store/mails-sql.ts'
import { isUrgent } from './mail-kinds.ts'
import { type MailContent, type NewMail, oneLine } from './new-mail.ts'

export const mailsQueuedTopic = 'mails queued'
/** Of the sealed content. */
const purpose = 'mail'

/**
 * Queues mails. Call it in the transaction of what they are about: what is rolled back is never sent, and what is committed
 * is sent once, or twice after a crash. Does nothing where the service has no mail server, except in a lab, which keeps them
 * to be read. Never throws because of an address; returns how many were taken, which nobody outside may learn.
 */
export async function queueMail(context: Context, sql: Sql, mails: readonly NewMail[]): Promise<number> {
  if (!context.mail.enabled || mails.length === 0) return 0
  const now = context.now()
  const rows = mails.map((mail) => row(context, mail, now))
  await store.lockRecipients(
    sql,
    rows.map(({ recipient }) => recipient),
  )
  const since = new Date(now.getTime() - mailLimits.windowMilliseconds)
  const waiting = context.mail.delivers ? 'queued' : 'kept'
  const taken = await store.insertMails(sql, rows, { now, since, waiting, perKind: mailLimits.perRecipientAndKind })
  if (taken > 0 && waiting === 'queued') wakeAfterCommit(sql, mailsQueuedTopic)
  return taken
}

function row({ masterKey }: Context, mail: NewMail, now: Date): store.NewMailRow {
  const { paragraphs, action, brand } = mail
  const content: MailContent = { paragraphs, action, brand }
  // In one case, as accounts are compared, so that nobody gets more by other spellings.
  const address = mailAddress(mail.to)?.toLowerCase() ?? null
  return {
    id: newId(),
    kind: mail.kind,
    recipient: address ?? oneLine(mail.to, 254),
    subject: oneLine(mail.subject, 200),
    content: masterKey.seal(purpose, JSON.stringify(content)),
    user_id: mail.user_id ?? null,
    customer_id: mail.customer_id ?? null,
    useful_until: (mail.useful_until ?? new Date(now.getTime() + mailLimits.usefulMilliseconds)).toISOString(),
    urgent: isUrgent(mail.kind),
    refused: address === null,
  }
}

export function openContent({ masterKey }: Context, sealed: Buffer): MailContent {
  return JSON.parse(masterKey.open(purpose, sealed)) as MailContent
}
