import {
  createInvitationLink,
  invitePartnerMember,
  listInvitations,
  withdrawInvitation,
} from '../../../directory/accounts/invitations.ts'
import { fullRights } from '../../../directory/accounts/people-rights.ts'
import {
  getPartnerMember,
  listPartnerMembers,
  removePartnerMember,
} from '../../../directory/partners/partner-members.ts'
import type { App } from '../../../platform/http/app.ts'
import { Empty, IdPath, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { Invitation, InvitationWithLink, Invitee, PartnerMember } from '../../shared/directory-schemas.ts'
import { paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf, requirePortalSession } from '../authenticate-partner.ts'

const route = tagged('Partner: members')

const sessionOnly = { 403: ['portal_session_required', 'partner_members_only'] }

/** The partner's own people, never those of its customers (contract 1.5). */
export function memberRoutes(app: App, context: Context): void {
  app.get(
    '/members',
    route({
      reads: 'bounded',
      summary: 'List the members of this partner',
      description: 'The people who work for this partner.',
      ...paged(PartnerMember),
    }),
    async (request) => listPartnerMembers(context, callerOf(request).partner_id, request.query),
  )

  app.get(
    '/members/:id',
    route({
      reads: 'bounded',
      summary: 'Get a member of this partner',
      description: 'One of the people who work for this partner.',
      params: IdPath,
      response: { 200: PartnerMember },
    }),
    async (request) => getPartnerMember(context, callerOf(request).partner_id, request.params.id),
  )

  app.delete(
    '/members/:id',
    route({
      summary: 'Remove a member from this partner',
      description: 'The person keeps their account. Requires a portal session.',
      params: IdPath,
      response: { 204: Empty, ...refusals({ ...sessionOnly, 409: ['last_member'] }) },
    }),
    async (request, reply) => {
      requirePortalSession(request)
      const { actor, partner_id } = callerOf(request)
      await removePartnerMember(context, actor, partner_id, request.params.id)
      return reply.code(204).send()
    },
  )

  app.get(
    '/invitations',
    route({
      reads: 'bounded',
      summary: 'List pending invitations',
      description: 'Invitations that nobody has accepted yet.',
      ...paged(Invitation),
    }),
    async (request) => {
      const { partner_id } = callerOf(request)
      return listInvitations(context, { partner_id }, request.query)
    },
  )

  app.post(
    '/invitations',
    route({
      creates: 'members',
      summary: 'Invite a person to this partner',
      description:
        'The person joins by opening the link. It becomes invalid when you are no longer a member of this partner. Requires a portal session.',
      body: Invitee,
      response: { 201: InvitationWithLink, ...refusals({ ...sessionOnly, 409: ['already_member'] }) },
    }),
    async (request, reply) => {
      requirePortalSession(request)
      const { actor, partner_id } = callerOf(request)
      return reply.code(201).send(await invitePartnerMember(context, actor, partner_id, request.body))
    },
  )

  app.post(
    '/invitations/:id/link',
    route({
      creates: { unlimited: 'replaces the link of the invitation' },
      summary: 'Create the link of an invitation',
      description: 'The new link works for seven days. An earlier link no longer works. Requires a portal session.',
      params: IdPath,
      response: { 201: InvitationWithLink, ...refusals(sessionOnly) },
    }),
    async (request, reply) => {
      requirePortalSession(request)
      const { actor, partner_id } = callerOf(request)
      return reply.code(201).send(await createInvitationLink(context, actor, { partner_id }, request.params.id))
    },
  )

  app.delete(
    '/invitations/:id',
    route({
      summary: 'Withdraw an invitation',
      description: 'Requires a portal session.',
      params: IdPath,
      response: { 204: Empty, ...refusals(sessionOnly) },
    }),
    async (request, reply) => {
      requirePortalSession(request)
      const { actor, partner_id } = callerOf(request)
      await withdrawInvitation(context, fullRights(actor), { partner_id }, request.params.id)
      return reply.code(204).send()
    },
  )
}
