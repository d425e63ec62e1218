import { recordAudit } from '../../events/audit.ts'
import { queueMail } from '../../events/mail/mail-queue.ts'
import { isUniqueViolation, transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import type { Context } from '../context.ts'
import { replaceEmailCode, spendEmailCode } from '../store/email-codes-sql.ts'
import { spendPasswordResets } from '../store/links-sql.ts'
import { deleteOtherSessions } from '../store/sessions-sql.ts'
import { releaseEmail } from '../store/users-sql.ts'
import * as store from '../store/verified-emails-sql.ts'
import { mayAskForCode, newEmailCode, tryEmailCode } from './email-codes.ts'
import { emailChangedMails, emailCodeMail } from './mails/email-mails.ts'
import { homeOf } from './mails/home.ts'
import { endSessionsOf, holdSession, type Session } from './sessions.ts'
import type { RequestSource } from './sign-in-events.ts'

/** What this browser holds a code for: the account of its session. */
export function codeHolderOf({ user_id, digest }: Session) {
  return { owner_id: user_id, browser: digest }
}

/** To prove the account's own email, or one that it is to have. No response says whether another account has it. */
export async function sendEmailCode(
  context: Context,
  session: Session,
  { email, address, host }: { email: string; address: string; host: string },
): Promise<'sent' | 'too_many'> {
  if (!(await mayAskForCode(context, session.user_id, address))) return 'too_many'
  const { code, until, row } = newEmailCode(context, codeHolderOf(session), email)
  await transaction(context.sql, async (sql) => {
    const { brand } = await homeOf(context, sql, session.user_id, host)
    await replaceEmailCode(sql, row)
    await queueMail(context, sql, [emailCodeMail({ to: email, code, until, brand, user_id: session.user_id })])
  })
  return 'sent'
}

export type EmailVerdict =
  | { verdict: 'verified' | 'changed'; email: string }
  | { verdict: 'wrong'; left: number }
  | { verdict: 'ended' }
  /** Another account has proven to own it. */
  | { verdict: 'taken'; email: string }

export async function confirmEmail(
  context: Context,
  session: Session,
  { code, host, from }: { code: string; host: string; from: RequestSource },
): Promise<EmailVerdict> {
  const tried = await tryEmailCode(context, codeHolderOf(session), code)
  if (tried.verdict !== 'right') return tried
  return await settled(() =>
    transaction(context.sql, (sql) => takeEmail(context, sql, { session, ...tried, host, from })),
  )
}

/** An account that gets the same email at the same moment is there when this is tried again: the first one wins. */
export async function settled<T>(
  attempt: () => Promise<T>,
  isRivals = (error: unknown) => isUniqueViolation(error, 'users_by_email'),
): Promise<T> {
  for (let left = 3; ; left -= 1) {
    try {
      return await attempt()
    } catch (error) {
      if (left === 0 || !isRivals(error)) throw error
    }
  }
}

interface ProvenEmail {
  session: Session
  email: string
  digest: Buffer
  host: string
  from: RequestSource
}

async function takeEmail(
  context: Context,
  sql: Sql,
  { session, email, digest, host, from }: ProvenEmail,
): Promise<EmailVerdict> {
  const { user_id } = session
  const at = context.now()
  const actor = { kind: 'user', id: user_id } as const
  const holders = await store.lockHolders(sql, user_id, email)
  if (!(await holdSession(sql, session)) || !(await spendEmailCode(sql, user_id, digest, at)))
    return { verdict: 'ended' }
  const own = holders.find(({ id }) => id === user_id)!
  const other = holders.find(({ id }) => id !== user_id)
  if (other?.email_verified) return { verdict: 'taken', email }
  if (other) await displace(context, sql, other, actor)
  await store.setVerifiedEmail(sql, user_id, email)
  if (own.email.toLowerCase() === email.toLowerCase()) {
    await recordAudit(sql, { type: 'user.email_verified', at, actor, details: { email, ...from } })
    return { verdict: 'verified', email }
  }
  // Whoever could read the mails to the address of before must not get in any more.
  await spendPasswordResets(sql, user_id, at)
  await deleteOtherSessions(sql, user_id, session.digest)
  const details = { before: own.email, email, ...from }
  await recordAudit(sql, { type: 'user.email_changed', at, actor, details })
  const home = await homeOf(context, sql, user_id, host)
  await queueMail(context, sql, emailChangedMails({ user_id, before: own.email, after: email, home }))
  return { verdict: 'changed', email }
}

/**
 * As `user release-email` does, for an account that never proved the email which somebody has proven now. Its memberships
 * stay with it.
 */
export async function displace(
  context: Context,
  sql: Sql,
  other: store.EmailHolder,
  actor: { kind: 'user'; id: string },
): Promise<void> {
  const at = context.now()
  await releaseEmail(sql, other.id)
  const second_factors_removed = await store.deleteFactorsOf(sql, other.id)
  await spendPasswordResets(sql, other.id, at)
  await endSessionsOf(sql, other.id)
  const details = { user_id: other.id, email: other.email, because: 'proven_by_another' }
  const lost = second_factors_removed > 0 ? { second_factors_removed } : {}
  await recordAudit(sql, { type: 'user.email_released', at, actor, details: { ...details, ...lost } })
}
