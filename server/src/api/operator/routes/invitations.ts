import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import { listInvitations, makeInvitationLink, withdrawInvitation } from '../../../directory/accounts/invitations.ts'
import { fullRights } from '../../../directory/accounts/people-rights.ts'
import { Invitation, InvitationLink } from '../../../directory/organization/responses.ts'
import { PageOf, PageQuery } from '../../../platform/http/pagination.ts'
import { Empty, Id, IdPath, Nullable, Role } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { operator } from '../authenticate.ts'

const tags = ['Operator: people']

const AnyInvitation = Type.Object({
  ...Invitation.properties,
  customer_id: Nullable(Id),
  partner_id: Nullable(Id),
  role: Nullable(Role),
  group_ids: Type.Array(Id),
})
const InvitationQuery = Type.Object({
  ...PageQuery,
  customer_id: Type.Optional(Id),
  partner_id: Type.Optional(Id),
})

/** Pending invitations of every customer and partner. */
export function invitationRoutes(app: App, context: Context): void {
  app.get(
    '/invitations',
    {
      schema: {
        summary: 'List invitations not accepted yet',
        description: 'Of one customer or partner, or of all.',
        tags,
        querystring: InvitationQuery,
        response: { 200: PageOf(AnyInvitation) },
      },
    },
    async (request) => {
      const { customer_id, partner_id } = request.query
      const target = partner_id ? { partner_id } : customer_id ? { customer_id } : null
      return listInvitations(context, target, request.query)
    },
  )

  app.post(
    '/invitations/:id/link',
    {
      schema: {
        summary: 'Make the link of an invitation',
        description: 'A new link that works for seven days; the one before no longer works.',
        tags,
        params: IdPath,
        response: { 201: Type.Object({ ...AnyInvitation.properties, link: InvitationLink }) },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await makeInvitationLink(context, operator, null, request.params.id)),
  )

  app.delete(
    '/invitations/:id',
    { schema: { summary: 'Withdraw an invitation', tags, params: IdPath, response: { 204: Empty } } },
    async (request, reply) => {
      await withdrawInvitation(context, fullRights(operator), null, request.params.id)
      return reply.code(204).send()
    },
  )
}
