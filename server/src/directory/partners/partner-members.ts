import { recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { conflict, found, notFound } from '../../platform/refusal.ts'
import { fullRights, type PeopleActor, requireRight } from '../accounts/people-rights.ts'
import { revokeLinksForPartner } from '../accounts/revoked-links.ts'
import type { Context } from '../context.ts'
import * as store from '../store/partner-members-sql.ts'
import { lockPartner } from '../store/partners-sql.ts'

/** The partner a signed-in person acts for: the one named, or the only one there is. */
export async function findPartnerOf(
  context: Context,
  userId: string,
  partnerId: string | null,
): Promise<string | 'several' | null> {
  const [first, second] = await store.findPartnersOf(context.sql, userId, partnerId)
  return second ? 'several' : (first ?? null)
}

export async function listPartnerMembers(
  context: Context,
  partnerId: string,
  request: PageRequest,
): Promise<Page<store.PartnerMember>> {
  const range = pageRange(request)
  return toPage(await store.listPartnerMembers(context.sql, partnerId, range), range, ({ id }) => id)
}

export async function getPartnerMember(
  context: Context,
  partnerId: string,
  userId: string,
): Promise<store.PartnerMember> {
  return found(await store.findPartnerMember(context.sql, partnerId, userId), 'member')
}

export async function removePartnerMember(
  context: Context,
  actor: PeopleActor,
  partnerId: string,
  userId: string,
): Promise<void> {
  const at = context.now()
  await transaction(context.sql, async (sql) => {
    // Removals take turns, so that two people who remove each other leave one member.
    await lockPartner(sql, partnerId)
    await requireRight(sql, fullRights(actor), { partner_id: partnerId })
    if (!(await store.deletePartnerMember(sql, partnerId, userId))) throw notFound('member')
    if ((await store.countPartnerMembers(sql, partnerId)) === 0) {
      throw conflict('last_member', 'This is the last member of this partner. Add another one first.')
    }
    const details = { user_id: userId }
    await recordAudit(sql, { type: 'partner_member.removed', at, actor, partner_id: partnerId, details })
    await revokeLinksForPartner(sql, { kind: 'user', id: userId }, partnerId, { at, actor })
  })
}
