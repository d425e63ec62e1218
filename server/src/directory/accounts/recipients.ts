import type { Context } from '../../events/context.ts'
import { queueMail } from '../../events/mail/mail-queue.ts'
import type { NewMail } from '../../events/mail/new-mail.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { findManagersToMail, type Recipient } from '../store/mail-recipients-sql.ts'
import { homesOf, type OrganizationHome } from './mails/home.ts'
import type { OptionalMails } from './mails/organization-mails.ts'

/** Enough that one of them acts on it. */
const maxRecipients = 20

interface Message {
  /** A customer or a partner. */
  target_id: string
  /** The person who caused it. */
  except?: string
  write(to: Recipient, organization: OrganizationHome): NewMail
}

/** To the first administrators of a customer, or members of a partner, who want this kind of mail. */
export async function mailManagers(
  context: Context,
  sql: Sql,
  kind: OptionalMails,
  messages: readonly Message[],
): Promise<void> {
  if (!context.mail.enabled || messages.length === 0) return
  const targets = messages.map(({ target_id }) => target_id)
  const people = await findManagersToMail(sql, targets, { kind, max: maxRecipients })
  const homes = await homesOf(context, sql, targets)
  const mails = messages.flatMap(({ target_id, except, write }) =>
    people
      .filter((person) => person.target_id === target_id && person.id !== except)
      .map((person) => write(person, homes.get(target_id)!)),
  )
  await queueMail(context, sql, mails)
}
