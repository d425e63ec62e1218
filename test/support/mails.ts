import assert from 'node:assert/strict'
import type { MailKind } from '../../server/src/events/mail/mail-kinds.ts'
import { openContent } from '../../server/src/events/mail/mail-queue.ts'
import type { MailContent } from '../../server/src/events/mail/new-mail.ts'
import type { Harness } from './harness.ts'

/** With these, a harness queues mails; nothing is delivered, since no test starts the loop. */
export const mailSettings = {
  LANDBRIDGE_MAIL_URL: 'smtp://127.0.0.1:1',
  LANDBRIDGE_MAIL_FROM: 'no-reply@example.com',
}

export interface QueuedMail extends MailContent {
  to: string
  kind: MailKind
  subject: string
}

/** What waits to be sent, oldest first. */
export async function mailsTo({ context, sql }: Harness, to: string, kind?: MailKind): Promise<QueuedMail[]> {
  const rows = await sql<{ recipient: string; kind: MailKind; subject: string; content: Buffer }[]>`
    select recipient, kind, subject, content from mails
    where lower(recipient) = lower(${to}) and content is not null and (${kind ?? null}::text is null or kind = ${kind ?? null})
    order by id`
  return rows.map(({ content, recipient, ...row }) => ({ ...openContent(context, content), ...row, to: recipient }))
}

export function codeIn(mail: QueuedMail | undefined): string {
  const paragraph = mail?.paragraphs.find((part) => typeof part === 'object' && 'code' in part)
  assert.ok(paragraph && typeof paragraph === 'object' && 'code' in paragraph, 'a mail with a code')
  return paragraph.code.replaceAll(' ', '')
}

/** The path of its button. */
export function linkIn(mail: QueuedMail | undefined): URL {
  assert.ok(mail?.action, 'a mail with a link')
  return new URL(mail.action.url)
}
