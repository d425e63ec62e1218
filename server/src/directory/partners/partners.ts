import { type Actor, recordAudit } from '../../events/audit.ts'
import { queueMail } from '../../events/mail/mail-queue.ts'
import { transaction } from '../../platform/database/database.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { found, notFound } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { hashPassword } from '../../platform/secrets/passwords.ts'
import { skeletonOf } from '../../platform/skeleton.ts'
import { inviteKnownPerson } from '../accounts/invitations.ts'
import { homeOfTarget } from '../accounts/mails/home.ts'
import { welcomeMail } from '../accounts/mails/invitation-mails.ts'
import type { Context } from '../context.ts'
import { insertCustomer } from '../store/customers-sql.ts'
import { insertMembership } from '../store/memberships.ts'
import { insertPartnerMember } from '../store/partner-members-sql.ts'
import * as store from '../store/partners-sql.ts'
import { insertUser } from '../store/users-sql.ts'
import { settleFields } from './presentation-changes.ts'
import { requireOwnName } from './public-names.ts'

export interface NewPartner {
  name: string
  portal_domain: string | null
  admin: { name: string; email: string; password: string }
}

interface CreatedPartner extends store.Partner {
  lab: { customer_id: string }
}

/**
 * A partner is created with its lab tenant, and its first member administers both (contract 5). An email that already has
 * an account is invited to both instead, since only its owner may accept (decision 6.9).
 */
export async function createPartner(context: Context, actor: Actor, input: NewPartner): Promise<CreatedPartner> {
  const at = context.now()
  const passwordHash = await hashPassword(input.admin.password, context.passwordCost)
  const partner = { id: newId(), name: input.name, portal_domain: input.portal_domain, created_at: at }
  const lab = { id: newId(), partner_id: partner.id, name: labName(input.name), lab: true, created_at: at }
  await transaction(context.sql, async (sql) => {
    await requireOwnName(sql, { actor, name: input.name, partnerId: partner.id })
    await store.insertPartner(sql, { ...partner, name_skeleton: skeletonOf(partner.name) })
    await insertCustomer(sql, lab)
    const { name, email } = input.admin
    const userId = newId()
    const isNew = await insertUser(sql, { id: userId, email, name, password_hash: passwordHash, created_at: at })
    if (isNew) {
      await insertPartnerMember(sql, { partner_id: partner.id, user_id: userId, created_at: at })
      await insertMembership(sql, { customer_id: lab.id, user_id: userId, role: 'administrator', created_at: at })
      const home = await homeOfTarget(context, sql, { partner_id: partner.id })
      await queueMail(context, sql, [welcomeMail({ id: userId, email }, home, 'by the operator')])
    } else {
      const both = { partner_id: partner.id, customer_id: lab.id }
      await inviteKnownPerson(sql, context, both, { name, email, role: 'administrator', group_ids: [] })
    }
    await recordAudit(sql, { type: 'partner.created', at, actor, partner_id: partner.id, customer_id: lab.id })
  })
  return { ...partner, lab: { customer_id: lab.id } }
}

export async function getPartner(context: Context, id: string): Promise<store.Partner> {
  return found(await store.findPartner(context.sql, id), 'partner')
}

export async function listPartners(context: Context, request: PageRequest): Promise<Page<store.Partner>> {
  const range = pageRange(request)
  return toPage(await store.listPartners(context.sql, range), range, ({ id }) => id)
}

export async function changePartner(
  context: Context,
  actor: Actor,
  id: string,
  change: store.PartnerChange,
  ifMatch?: string,
): Promise<store.Partner> {
  return await transaction(context.sql, async (sql) => {
    if (!(await store.lockPartner(sql, id))) throw notFound('partner')
    const before = (await store.findPartner(sql, id))!
    requireMatch(ifMatch, before)
    if (change.name !== undefined && change.name !== before.name) {
      await requireOwnName(sql, { actor, name: change.name, partnerId: id })
    }
    const skeleton = change.name === undefined ? {} : { name_skeleton: skeletonOf(change.name) }
    const partner = (await store.updatePartner(sql, id, { ...change, ...skeleton }))!
    await settleFields(sql, { partner_id: id, client_id: null }, change)
    const details = { fields: Object.keys(change) }
    await recordAudit(sql, { type: 'partner.changed', at: context.now(), actor, partner_id: id, details })
    return partner
  })
}

/** A name has at most 200 characters, and the partner's may use them all. */
function labName(partnerName: string): string {
  const suffix = ' (test tenant)'
  return `${[...partnerName].slice(0, 200 - suffix.length).join('')}${suffix}`
}
