import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import {
  invitePartnerMember,
  listInvitations,
  makeInvitationLink,
  withdrawInvitation,
} from '../../../directory/accounts/invitations.ts'
import { fullRights } from '../../../directory/accounts/people-rights.ts'
import { Invitation, Invitee, MadeInvitation, PartnerMember } from '../../../directory/organization/responses.ts'
import { getPartnerMember, listPartnerMembers, removePartnerMember } from '../../../directory/partners/members.ts'
import { PageOf, PageQuery } from '../../../platform/http/pagination.ts'
import { Empty, IdPath, refusals } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { callerOf, requirePortalSession } from '../authenticate.ts'

const tags = ['Partner: members']

const sessionOnly = { 403: ['portal_session_required', 'partner_members_only'] }

/** A partner's own people. Its customers' people are never shown here (spec 1.5). */
export function memberRoutes(app: App, context: Context): void {
  app.get(
    '/members',
    {
      schema: {
        summary: 'List the people of this partner',
        tags,
        querystring: Type.Object(PageQuery),
        response: { 200: PageOf(PartnerMember) },
      },
    },
    async (request) => listPartnerMembers(context, callerOf(request).partner_id, request.query),
  )

  app.get(
    '/members/:id',
    { schema: { summary: 'Get a person of this partner', tags, params: IdPath, response: { 200: PartnerMember } } },
    async (request) => getPartnerMember(context, callerOf(request).partner_id, request.params.id),
  )

  app.delete(
    '/members/:id',
    {
      schema: {
        summary: 'Remove a person from this partner',
        description: 'The person keeps their account. Portal session only.',
        tags,
        params: IdPath,
        response: { 204: Empty, ...refusals({ ...sessionOnly, 409: ['last_member'] }) },
      },
    },
    async (request, reply) => {
      const access = callerOf(request)
      requirePortalSession(access)
      await removePartnerMember(context, access.actor, access.partner_id, request.params.id)
      return reply.code(204).send()
    },
  )

  app.get(
    '/invitations',
    {
      schema: {
        summary: 'List invitations not accepted yet',
        tags,
        querystring: Type.Object(PageQuery),
        response: { 200: PageOf(Invitation) },
      },
    },
    async (request) => {
      const { partner_id } = callerOf(request)
      return listInvitations(context, { partner_id }, request.query)
    },
  )

  app.post(
    '/invitations',
    {
      schema: {
        summary: 'Invite a person to this partner',
        description:
          'They join by opening the link, which ends when you are no longer a person of this partner. Portal session only.',
        tags,
        body: Invitee,
        response: { 201: MadeInvitation, ...refusals({ ...sessionOnly, 409: ['already_member'] }) },
      },
    },
    async (request, reply) => {
      const access = callerOf(request)
      requirePortalSession(access)
      return reply.code(201).send(await invitePartnerMember(context, access.actor, access.partner_id, request.body))
    },
  )

  app.post(
    '/invitations/:id/link',
    {
      schema: {
        summary: 'Make the link of an invitation',
        description: 'A new link that works for seven days; the one before no longer works. Portal session only.',
        tags,
        params: IdPath,
        response: { 201: MadeInvitation, ...refusals(sessionOnly) },
      },
    },
    async (request, reply) => {
      const access = callerOf(request)
      requirePortalSession(access)
      const { partner_id, actor } = access
      return reply.code(201).send(await makeInvitationLink(context, actor, { partner_id }, request.params.id))
    },
  )

  app.delete(
    '/invitations/:id',
    {
      schema: {
        summary: 'Withdraw an invitation',
        description: 'Portal session only.',
        tags,
        params: IdPath,
        response: { 204: Empty, ...refusals(sessionOnly) },
      },
    },
    async (request, reply) => {
      const access = callerOf(request)
      requirePortalSession(access)
      await withdrawInvitation(context, fullRights(access.actor), { partner_id: access.partner_id }, request.params.id)
      return reply.code(204).send()
    },
  )
}
