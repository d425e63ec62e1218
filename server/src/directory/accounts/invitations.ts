import { recordAudit } from '../../events/audit.ts'
import type { Context } from '../../events/context.ts'
import { queueMail } from '../../events/mail/mail-queue.ts'
import type { BaseContext } from '../../platform/context.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { lifetimes } from '../../platform/own-limits.ts'
import { requireRoom } from '../../platform/quotas.ts'
import { conflict, found, notFound } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { digest, mintSecret } from '../../platform/secrets/secrets.ts'
import { lockCustomer } from '../store/customers-sql.ts'
import { findGroupIds } from '../store/groups-sql.ts'
import * as store from '../store/links-sql.ts'
import { isMember, type Role } from '../store/memberships.ts'
import { isPartnerMember } from '../store/partner-members-sql.ts'
import { lockPartner } from '../store/partners-sql.ts'
import { linkAddress, linkPath } from './links.ts'
import { homeOfTarget } from './mails/home.ts'
import { invitationMail } from './mails/invitation-mails.ts'
import {
  makerOf,
  type PeopleActor,
  type PeopleRights,
  requireMayGrant,
  requireMayJoin,
  requireMayShowDevices,
  requireRight,
} from './people-rights.ts'

export type { PendingInvitation } from '../store/links-sql.ts'

export interface Invitee {
  email: string
  /** Suggested to a new person; someone who has an account keeps their name. */
  name?: string | undefined
  role: Role
  /** Group ids. */
  groups?: string[] | undefined
  can_view_devices?: boolean | undefined
}

/** The link is returned only once; a token or an API key never gets one. `mailed`: sent to the invited person, too. */
type WithLink<Link> = store.PendingInvitation & { link: Link; mailed: boolean }

/**
 * The membership, and for a new person the account, are created only when the link is accepted: nobody joins without
 * agreeing, and the response does not reveal whether the email has an account.
 */
export async function inviteMember(
  context: Context,
  rights: PeopleRights,
  customerId: string,
  invitee: Invitee,
): Promise<WithLink<string | null>> {
  const target = { customer_id: customerId }
  const groupIds = [...new Set(invitee.groups ?? [])]
  requireMayGrant(rights, invitee.role)
  requireMayShowDevices(rights, invitee.can_view_devices)
  const { row, secret } = newInvitation(context, rights, { ...invitee, group_ids: groupIds })
  const invitation = await transaction(context.sql, async (sql) => {
    await lockCustomer(sql, customerId)
    await requireRight(sql, rights, target)
    if (await isMember(sql, customerId, invitee.email)) {
      throw conflict('already_member', 'A person with this email is already a member of this organization.')
    }
    if ((await findGroupIds(sql, customerId, groupIds)).length < groupIds.length) throw notFound('group')
    await requireMayJoin(sql, rights, groupIds)
    await replaceOlder(sql, rights, target, row)
    await requireRoomForPerson(context, sql, target)
    return await insert(sql, context, rights.actor, target, row, secret)
  })
  const { enabled: mailed } = context.mail
  const link = rights.limits || secret === null ? null : await linkAddress(context, target, secret)
  return { ...invitation, link, mailed }
}

export async function invitePartnerMember(
  context: Context,
  actor: PeopleActor,
  partnerId: string,
  invitee: { email: string; name?: string | undefined },
): Promise<WithLink<string>> {
  const target = { partner_id: partnerId }
  const rights = { actor, limits: null }
  const { row, secret } = newInvitation(context, rights, { ...invitee, role: null, group_ids: [] })
  const invitation = await transaction(context.sql, async (sql) => {
    if (!(await lockPartner(sql, partnerId))) throw notFound('partner')
    await requireRight(sql, rights, target)
    if (await isPartnerMember(sql, partnerId, invitee.email)) {
      throw conflict('already_member', 'A person with this email is already a member of this partner.')
    }
    await replaceOlder(sql, rights, target, row)
    await requireRoomForPerson(context, sql, target)
    return await insert(sql, context, actor, target, row, secret)
  })
  return { ...invitation, link: await linkAddress(context, target, secret!), mailed: context.mail.enabled }
}

/** A pending invitation counts as a person, so that whoever was invited finds room. */
export async function requireRoomForPerson(
  context: BaseContext,
  sql: Sql,
  tenant: store.InvitationTarget,
): Promise<void> {
  const quota = 'customer_id' in tenant ? 'users' : 'members'
  await requireRoom(context, sql, quota, { tenant, count: () => store.countPeople(sql, tenant, context.now()) })
}

/**
 * For a person the operator adds whose email already has an account: only its owner can accept, after signing in. Without
 * mail there is no link until the operator or an administrator creates one.
 */
export async function inviteKnownPerson(
  sql: Sql,
  context: Context,
  target: store.InvitationTarget | { customer_id: string; partner_id: string },
  invitee: { email: string; name: string; role: Role; group_ids: string[] },
): Promise<store.PendingInvitation> {
  const actor = { kind: 'operator' } as const
  const { row, secret } = newInvitation(context, { actor, limits: null }, invitee)
  const owner = 'partner_id' in target ? { partner_id: target.partner_id } : target
  await store.deleteInvitationsOf(sql, owner, invitee.email)
  if (!context.mail.enabled) return await insert(sql, context, actor, target, { ...row, digest: null }, null)
  return await insert(sql, context, actor, target, row, secret)
}

/** Pending invitations of one customer or partner; with null, of all. */
export async function listInvitations(
  context: BaseContext,
  target: store.InvitationTarget | null,
  request: PageRequest,
): Promise<Page<store.PendingInvitation>> {
  const range = pageRange(request)
  return toPage(await store.listInvitations(context.sql, target, context.now(), range), range, ({ id }) => id)
}

/**
 * Only the digest of a link is stored, so this always creates a new link, and the previous one no longer works. The link
 * also becomes invalid when the person who creates it here loses the right to invite.
 */
export async function createInvitationLink(
  context: Context,
  actor: PeopleActor,
  target: store.InvitationTarget | null,
  id: string,
): Promise<WithLink<string>> {
  const at = context.now()
  const secret = mintSecret('one_time_link')
  const invitation = await transaction(context.sql, async (sql) => {
    if (target) await lockTarget(sql, target)
    if (target) await requireRight(sql, { actor, limits: null }, target)
    const before = await store.lockInvitation(sql, target, id)
    const issued_by = actor.kind === 'user' ? actor.id : null
    const link = {
      digest: digest(secret),
      issued_by,
      at,
      expires_at: new Date(at.getTime() + lifetimes.invitationMilliseconds),
    }
    if (!before || !(await store.replaceDigest(sql, id, link))) throw notFound('invitation')
    const details = { invitation_id: id, email: before.email }
    await recordAudit(sql, { type: 'member.invitation_link_made', at, actor, ...ownersOf(before), details })
    const renewed = (await store.findInvitation(sql, id))!
    await mailInvitation(context, sql, renewed, secret)
    return renewed
  })
  return { ...invitation, link: await linkAddress(context, ownerOf(invitation), secret), mailed: context.mail.enabled }
}

export async function withdrawInvitation(
  context: BaseContext,
  rights: PeopleRights,
  target: store.InvitationTarget | null,
  id: string,
): Promise<void> {
  const { actor } = rights
  await transaction(context.sql, async (sql) => {
    if (target) await lockTarget(sql, target)
    if (target) await requireRight(sql, rights, target)
    const before = found(await store.lockInvitation(sql, target, id), 'invitation')
    requireMayGrant(rights, before.role)
    await store.deleteInvitation(sql, id)
    const details = { invitation_id: id, email: before.email }
    const at = context.now()
    await recordAudit(sql, { type: 'member.invitation_withdrawn', at, actor, ...ownersOf(before), details })
  })
}

/** A token or an API key replaces only its own invitations, never those of people. */
async function replaceOlder(
  sql: Sql,
  rights: PeopleRights,
  target: store.InvitationTarget,
  { email, created_at }: store.NewInvitation,
): Promise<void> {
  await store.deleteInvitationsOf(sql, target, email, rights.limits ? makerOf(rights.actor) : null)
  if (rights.limits && (await store.isInvited(sql, target, email, created_at))) {
    throw conflict(
      'already_invited',
      'Somebody else has already invited this email, and that invitation is still pending.',
    )
  }
}

async function insert(
  sql: Sql,
  context: Context,
  actor: PeopleActor,
  target: store.InvitationTarget | { customer_id: string; partner_id: string },
  row: store.NewInvitation,
  secret: string | null,
): Promise<store.PendingInvitation> {
  await store.insertInvitation(sql, target, row)
  const details = { invitation_id: row.id, email: row.email, ...(row.role ? { role: row.role } : {}) }
  await recordAudit(sql, { type: 'member.invited', at: context.now(), actor, ...target, details })
  const invitation = (await store.findInvitation(sql, row.id))!
  if (secret !== null) await mailInvitation(context, sql, invitation, secret)
  return invitation
}

async function mailInvitation(
  context: Context,
  sql: Sql,
  invitation: store.PendingInvitation,
  secret: string,
): Promise<void> {
  if (!context.mail.enabled) return
  const home = await homeOfTarget(context, sql, ownerOf(invitation))
  const about = { ...invitation, inviter: invitation.made_by.name }
  await queueMail(context, sql, [invitationMail(about, home, `${home.origin}${linkPath}/${secret}`)])
}

/** An invitation to a partner and its lab belongs to the partner. */
function ownerOf({ customer_id, partner_id }: store.PendingInvitation): store.InvitationTarget {
  return partner_id ? { partner_id } : { customer_id: customer_id! }
}

async function lockTarget(sql: Sql, target: store.InvitationTarget): Promise<void> {
  if ('partner_id' in target) await lockPartner(sql, target.partner_id)
  else await lockCustomer(sql, target.customer_id)
}

function ownersOf({ customer_id, partner_id }: { customer_id: string | null; partner_id: string | null }) {
  return { ...(customer_id ? { customer_id } : {}), ...(partner_id ? { partner_id } : {}) }
}

function newInvitation(
  context: Context,
  { actor, limits }: PeopleRights,
  invitee: Omit<Invitee, 'role' | 'groups'> & { role: Role | null; group_ids: string[] },
): { row: store.NewInvitation; secret: string | null } {
  const at = context.now()
  // A token or an API key does not get the link, but the person whom it invites does.
  const secret = limits && !context.mail.enabled ? null : mintSecret('one_time_link')
  const row = {
    id: newId(),
    digest: secret === null ? null : digest(secret),
    email: invitee.email,
    name: invitee.name ?? null,
    role: invitee.role,
    group_ids: invitee.group_ids,
    can_view_devices: invitee.can_view_devices ?? false,
    ...makerOf(actor),
    issued_by: actor.kind === 'user' ? actor.id : null,
    created_at: at,
    expires_at: new Date(at.getTime() + lifetimes.invitationMilliseconds),
  }
  return { row, secret }
}
