import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { getPartnerMember, listPartnerMembers, removePartnerMember } from '../../directory/partner-members.ts'
import type { App } from '../../platform/http.ts'
import { PageOf, PageQuery } from '../../platform/pagination.ts'
import { Empty, Id, IdPath, Instant, refusals } from '../../platform/schemas.ts'
import { accessOf, requirePortalSession } from '../access.ts'

const tags = ['Partner: members']

const Member = Type.Object({ id: Id, email: Type.String(), name: Type.String(), created_at: Instant })

/** A partner's own people. Its customers' people are never shown here (spec 1.5). */
export function memberRoutes(app: App, context: Context): void {
  app.get(
    '/members',
    {
      schema: {
        summary: 'List the people of this partner',
        tags,
        querystring: Type.Object(PageQuery),
        response: { 200: PageOf(Member) },
      },
    },
    async (request) => listPartnerMembers(context, accessOf(request).partner_id, request.query),
  )

  app.get(
    '/members/:id',
    { schema: { summary: 'Get a person of this partner', tags, params: IdPath, response: { 200: Member } } },
    async (request) => getPartnerMember(context, accessOf(request).partner_id, request.params.id),
  )

  app.delete(
    '/members/:id',
    {
      schema: {
        summary: 'Remove a person from this partner',
        description: 'The person keeps their account. Portal session only.',
        tags,
        params: IdPath,
        response: { 204: Empty, ...refusals({ 403: ['portal_session_required'], 409: ['last_member'] }) },
      },
    },
    async (request, reply) => {
      const access = accessOf(request)
      requirePortalSession(access)
      await removePartnerMember(context, access.actor, access.partner_id, request.params.id)
      return reply.code(204).send()
    },
  )
}
