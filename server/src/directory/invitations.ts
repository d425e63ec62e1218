import type { Context } from '../context.ts'
import { transaction } from '../platform/database/database.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../platform/http/pagination.ts'
import { type Actor, recordAudit } from '../platform/records/audit.ts'
import { conflict, notFound } from '../platform/refusal.ts'
import { newId } from '../platform/secrets/identifiers.ts'
import { digest, mintSecret } from '../platform/secrets/secrets.ts'
import { linkAddress } from './link-address.ts'
import { findGroupIds } from './store/groups.ts'
import * as store from './store/links.ts'
import { isMember, isPartnerMember, type Role } from './store/memberships.ts'
import { findPartner } from './store/partners.ts'

export type { InvitationTarget, PendingInvitation } from './store/links.ts'

const goodForMilliseconds = 7 * 86_400_000

export interface Invitee {
  email: string
  /** What a new person is called unless they say otherwise; a known one keeps their name. */
  name?: string | undefined
  role: Role
  /** Ids of groups. */
  groups?: string[] | undefined
}

export interface Invitation extends store.PendingInvitation {
  /** Shown this once: whoever made it hands it on. */
  link: string
}

/**
 * The answer is the same whether the email is known or not: the membership, and for a new person the account, are made
 * when the link is accepted. So nobody is pulled into an organization without a say.
 */
export async function inviteMember(
  context: Context,
  actor: Actor,
  customerId: string,
  invitee: Invitee,
): Promise<Invitation> {
  const target = { customer_id: customerId }
  const groupIds = [...new Set(invitee.groups ?? [])]
  const invitation = newInvitation(context, { ...invitee, group_ids: groupIds })
  await transaction(context.sql, async (sql) => {
    if (await isMember(sql, customerId, invitee.email)) {
      throw conflict('already_member', 'A person with this email is a member of this organization already.')
    }
    if ((await findGroupIds(sql, customerId, groupIds)).length < groupIds.length) throw notFound('group')
    await store.deleteInvitationsOf(sql, target, invitee.email)
    await store.insertInvitation(sql, target, invitation.row)
    const details = { invitation_id: invitation.row.id, email: invitee.email, role: invitee.role }
    await recordAudit(sql, { type: 'member.invited', at: context.now(), actor, ...target, details })
  })
  return { ...invitation.shown, link: await linkAddress(context, target, invitation.secret) }
}

export async function invitePartnerMember(
  context: Context,
  actor: Actor,
  partnerId: string,
  invitee: { email: string; name?: string | undefined },
): Promise<Invitation> {
  const target = { partner_id: partnerId }
  const invitation = newInvitation(context, { ...invitee, role: null, group_ids: [] })
  await transaction(context.sql, async (sql) => {
    if (!(await findPartner(sql, partnerId))) throw notFound('partner')
    if (await isPartnerMember(sql, partnerId, invitee.email)) {
      throw conflict('already_member', 'A person with this email is a member of this partner already.')
    }
    await store.deleteInvitationsOf(sql, target, invitee.email)
    await store.insertInvitation(sql, target, invitation.row)
    const details = { invitation_id: invitation.row.id, email: invitee.email }
    await recordAudit(sql, { type: 'member.invited', at: context.now(), actor, ...target, details })
  })
  return { ...invitation.shown, link: await linkAddress(context, target, invitation.secret) }
}

/** Those not accepted yet. */
export async function listInvitations(
  context: Context,
  target: store.InvitationTarget,
  request: PageRequest,
): Promise<Page<store.PendingInvitation>> {
  const range = pageRange(request)
  return toPage(await store.listInvitations(context.sql, target, context.now(), range), range, ({ id }) => id)
}

export async function withdrawInvitation(
  context: Context,
  actor: Actor,
  target: store.InvitationTarget,
  id: string,
): Promise<void> {
  await transaction(context.sql, async (sql) => {
    const email = await store.deleteInvitation(sql, target, id)
    if (email === undefined) throw notFound('invitation')
    const details = { invitation_id: id, email }
    await recordAudit(sql, { type: 'member.invitation_withdrawn', at: context.now(), actor, ...target, details })
  })
}

function newInvitation(
  context: Context,
  invitee: { email: string; name?: string | undefined; role: Role | null; group_ids: string[] },
) {
  const at = context.now()
  const secret = mintSecret('one_time_link')
  const shown: store.PendingInvitation = {
    id: newId(),
    email: invitee.email,
    name: invitee.name ?? null,
    role: invitee.role,
    group_ids: invitee.group_ids,
    created_at: at,
    expires_at: new Date(at.getTime() + goodForMilliseconds),
  }
  return { secret, shown, row: { ...shown, digest: digest(secret) } }
}
