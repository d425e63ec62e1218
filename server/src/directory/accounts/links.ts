import { recordAudit } from '../../events/audit.ts'
import type { Context } from '../../events/context.ts'
import { queueMail } from '../../events/mail/mail-queue.ts'
import type { BaseContext } from '../../platform/context.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { schemeOf } from '../../platform/http/origin.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { hashPassword } from '../../platform/secrets/passwords.ts'
import { digest, isWellFormed } from '../../platform/secrets/secrets.ts'
import { lockCustomer } from '../store/customers-sql.ts'
import { findGroupIds, insertGroupMembers } from '../store/groups-sql.ts'
import * as store from '../store/links-sql.ts'
import { belongsOnlyTo, insertMembership } from '../store/memberships.ts'
import { insertPartnerMember } from '../store/partner-members-sql.ts'
import { findPortalDomain, lockPartner } from '../store/partners-sql.ts'
import { insertUser, lockUser, setPasswordHash } from '../store/users-sql.ts'
import { homeOf, homeOfTarget } from './mails/home.ts'
import { welcomeMail } from './mails/invitation-mails.ts'
import { passwordChangedMail } from './mails/password-mails.ts'
import { proveByMailedLink } from './proven-mailbox.ts'
import { endSessionsOf } from './sessions.ts'

export type { Link } from '../store/links-sql.ts'

/** Null when the link is unknown, used or expired, or its maker has lost the right to create it: the response does not say which. */
export async function readLink(context: BaseContext, secret: string): Promise<store.Link | null> {
  if (!isWellFormed('one_time_link', secret)) return null
  return (await store.findLink(context.sql, digest(secret), context.now())) ?? null
}

type Acceptance =
  | { verdict: 'accepted'; user_id: string }
  /** The email has an account: its owner signs in, then accepts with `acceptInvitationAs`. */
  | { verdict: 'known' }
  | { verdict: 'void' }

/** Creates the account of a new person and the membership. It never sets the password of an existing account. */
export async function acceptInvitation(
  context: Context,
  secret: string,
  { name, password }: { name: string; password: string },
): Promise<Acceptance> {
  const link = await readLink(context, secret)
  if (link?.purpose !== 'invitation') return { verdict: 'void' }
  const at = context.now()
  const userId = newId()
  const password_hash = await hashPassword(password, context.passwordCost)
  return await transaction<Acceptance>(context.sql, async (sql) => {
    await lockTargets(sql, link)
    const user = { id: userId, email: link.email, name, password_hash, created_at: at }
    if (!(await insertUser(sql, user))) return { verdict: 'known' }
    if (!(await store.spendLink(sql, link.id, digest(secret), at))) throw new LinkSpentMeanwhile()
    await join(sql, link, userId, at)
    await welcome(context, sql, link, userId)
    return { verdict: 'accepted', user_id: userId }
  }).catch(voidIfSpent)
}

/** By a person who is signed in: the invitation must be for their email. */
export async function acceptInvitationAs(
  context: BaseContext,
  secret: string,
  user: { id: string; email: string },
): Promise<Acceptance | { verdict: 'wrong_person' }> {
  const link = await readLink(context, secret)
  if (link?.purpose !== 'invitation') return { verdict: 'void' }
  if (link.email.toLowerCase() !== user.email.toLowerCase()) return { verdict: 'wrong_person' }
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    await lockTargets(sql, link)
    if (!(await store.spendLink(sql, link.id, digest(secret), at))) return { verdict: 'void' }
    await join(sql, link, user.id, at)
    return { verdict: 'accepted', user_id: user.id } as const
  })
}

/** Ends every session of the person and every other reset link. */
export async function resetPassword(
  context: Context,
  secret: string,
  password: string,
  host: string | null = null,
): Promise<{ verdict: 'reset'; user_id: string } | { verdict: 'void' }> {
  const link = await readLink(context, secret)
  if (link?.purpose !== 'password_reset') return { verdict: 'void' }
  const user_id = link.user_id!
  const at = context.now()
  const passwordHash = await hashPassword(password, context.passwordCost)
  return await transaction(context.sql, async (sql) => {
    await lockTargets(sql, link)
    await lockUser(sql, user_id)
    // An administrator may reset only people who belong nowhere else, and this person has since joined another customer.
    if (link.customer_id && !(await belongsOnlyTo(sql, link.customer_id, user_id))) return { verdict: 'void' }
    if (!(await store.spendLink(sql, link.id, digest(secret), at))) return { verdict: 'void' }
    await store.spendPasswordResets(sql, user_id, at)
    await setPasswordHash(sql, user_id, passwordHash)
    await endSessionsOf(sql, user_id)
    if (link.maker_kind === 'self') await proveByMailedLink(context, sql, user_id)
    const home = await homeOf(context, sql, user_id, host)
    await queueMail(context, sql, [passwordChangedMail({ id: user_id, email: link.email }, home, 'reset')])
    await recordAudit(sql, { type: 'password.reset', at, actor: { kind: 'user', id: user_id }, details: {} })
    return { verdict: 'reset', user_id } as const
  })
}

/**
 * Keeps the maker's right, which is checked next, from ending before this commits. Locked before the account, as everywhere
 * that a person is added, so that two transactions cannot deadlock.
 */
export async function lockTargets(sql: Sql, { customer_id, partner_id }: store.Link): Promise<void> {
  if (partner_id) await lockPartner(sql, partner_id)
  if (customer_id) await lockCustomer(sql, customer_id)
}

/** Groups deleted since the invitation are skipped; a membership created meanwhile stays as it is. */
export async function join(sql: Sql, link: store.Link, userId: string, at: Date): Promise<void> {
  const about = { at, actor: { kind: 'user', id: userId } } as const
  const { customer_id, partner_id } = link
  await lockUser(sql, userId)
  if (customer_id) {
    const { can_view_devices } = link
    await insertMembership(sql, { customer_id, user_id: userId, role: link.role!, can_view_devices, created_at: at })
    await insertGroupMembers(sql, customer_id, userId, await findGroupIds(sql, customer_id, link.group_ids))
    const details = { user_id: userId, role: link.role, invitation_id: link.id }
    await recordAudit(sql, { ...about, type: 'member.joined', customer_id, details })
  }
  if (partner_id) {
    await insertPartnerMember(sql, { partner_id, user_id: userId, created_at: at })
    const details = { user_id: userId, invitation_id: link.id }
    await recordAudit(sql, { ...about, type: 'member.joined', partner_id, details })
  }
}

/** A person who has just created an account. */
export async function welcome(context: Context, sql: Sql, link: store.Link, userId: string): Promise<void> {
  const { customer_id, partner_id, email } = link
  const home = await homeOfTarget(context, sql, partner_id ? { partner_id } : { customer_id: customer_id! })
  await queueMail(context, sql, [welcomeMail({ id: userId, email }, home, 'by themselves')])
}

/** Thrown, not returned, so that the new account is rolled back too. */
export class LinkSpentMeanwhile extends Error {}

function voidIfSpent(error: unknown): Acceptance {
  if (error instanceof LinkSpentMeanwhile) return { verdict: 'void' }
  throw error
}

/** A one-time link is `/link/<secret>`, on the portal domain of its customer or partner if there is one. */
export const linkPath = '/link'

export async function linkAddress(
  context: BaseContext,
  target: store.InvitationTarget | null,
  secret: string,
): Promise<string> {
  const { publicUrl } = context.addresses
  const domain = target && (await findPortalDomain(context.sql, target))
  return `${domain ? `${schemeOf(publicUrl)}//${domain}` : publicUrl}${linkPath}/${secret}`
}
