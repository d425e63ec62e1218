import { recordAudit } from '../../events/audit.ts'
import { queueMail } from '../../events/mail/mail-queue.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { lifetimes, ownLimits } from '../../platform/own-limits.ts'
import { notFound, Refusal } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { digest, mintSecret } from '../../platform/secrets/secrets.ts'
import type { Context } from '../context.ts'
import { lockCustomer } from '../store/customers-sql.ts'
import { deletePasswordResetsBeyond, insertPasswordReset } from '../store/links-sql.ts'
import { belongsOnlyTo, findMember } from '../store/memberships.ts'
import { findUser } from '../store/users-sql.ts'
import { linkAddress, linkPath } from './links.ts'
import { homeOf, homeOfTarget } from './mails/home.ts'
import { resetLinkMail } from './mails/password-mails.ts'
import { fullRights, makerOf, type PeopleActor, requireRight } from './people-rights.ts'

export interface PasswordReset {
  /** Returned only once. */
  link: string
  expires_at: Date
  /** Sent to the person, too. */
  mailed: boolean
}

/** By the operator, for any user. */
export async function createPasswordReset(
  context: Context,
  actor: PeopleActor,
  userId: string,
): Promise<PasswordReset> {
  if (!(await findUser(context.sql, userId))) throw notFound('user')
  return await createReset(context, actor, userId, null, async () => {})
}

/**
 * By an administrator, who gets the link: so only for a person who belongs to this customer alone, or the administrator of
 * one customer could sign in as a user of another.
 */
export async function createPasswordResetOfMember(
  context: Context,
  actor: PeopleActor,
  customerId: string,
  userId: string,
): Promise<PasswordReset> {
  const target = { customer_id: customerId }
  return await createReset(context, actor, userId, target, async (sql) => {
    await lockCustomer(sql, customerId)
    await requireRight(sql, fullRights(actor), target)
    if (!(await findMember(sql, customerId, userId))) throw notFound('user')
    if (!(await belongsOnlyTo(sql, customerId, userId))) {
      const sentence =
        'This person also belongs to other organizations. Only the operator can create this link for them.'
      throw new Refusal(403, 'belongs_elsewhere', sentence)
    }
  })
}

async function createReset(
  context: Context,
  actor: PeopleActor,
  userId: string,
  target: { customer_id: string } | null,
  judge: (sql: Sql) => Promise<void>,
): Promise<PasswordReset> {
  const at = context.now()
  const secret = mintSecret('one_time_link')
  const expires_at = new Date(at.getTime() + lifetimes.passwordResetMilliseconds)
  await transaction(context.sql, async (sql) => {
    await judge(sql)
    const reset = {
      id: newId(),
      digest: digest(secret),
      user_id: userId,
      customer_id: target?.customer_id ?? null,
      ...makerOf(actor),
      issued_by: actor.kind === 'user' ? actor.id : null,
      created_at: at,
      expires_at,
    }
    await deletePasswordResetsBeyond(sql, userId, ownLimits.passwordResetsPerAccount - 1)
    await insertPasswordReset(sql, reset)
    await recordAudit(sql, { type: 'password.reset_link_made', at, actor, ...target, details: { user_id: userId } })
    await mailLink(context, sql, { userId, target, secret, until: expires_at })
  })
  return { link: await linkAddress(context, target, secret), expires_at, mailed: context.mail.enabled }
}

async function mailLink(
  context: Context,
  sql: Sql,
  {
    userId,
    target,
    secret,
    until,
  }: { userId: string; target: { customer_id: string } | null; secret: string; until: Date },
): Promise<void> {
  if (!context.mail.enabled) return
  const user = (await findUser(sql, userId))!
  const home = target ? await homeOfTarget(context, sql, target) : await homeOf(context, sql, userId, null)
  await queueMail(context, sql, [resetLinkMail(user, home, `${home.origin}${linkPath}/${secret}`, until)])
}
