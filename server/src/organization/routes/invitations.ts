import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { inviteMember, listInvitations, withdrawInvitation } from '../../directory/invitations.ts'
import { makePasswordResetOfMember } from '../../directory/password-resets.ts'
import { Invitation, InvitationLink, PasswordReset } from '../../directory/shown.ts'
import { PageOf, PageQuery } from '../../platform/http/pagination.ts'
import { Email, Empty, Id, IdPath, Name, Role, refusals } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { accessOf, requirePortalSession } from '../access.ts'

const tags = ['Organization: users']

const MemberInvitation = Type.Object({ ...Invitation.properties, role: Role, group_ids: Type.Array(Id) })
const MadeMemberInvitation = Type.Object({ ...MemberInvitation.properties, link: InvitationLink })
const NewInvitation = Type.Object(
  {
    email: Email,
    name: Type.Optional(Name),
    role: Role,
    groups: Type.Optional(Type.Array(Id, { maxItems: 100 })),
  },
  { additionalProperties: false },
)
export function invitationRoutes(app: App, context: Context): void {
  app.post(
    '/invitations',
    {
      schema: {
        summary: 'Invite a person to this organization',
        description: 'The answer is the same whether the email has an account or not. They join by opening the link.',
        tags,
        body: NewInvitation,
        response: { 201: MadeMemberInvitation, ...refusals({ 404: ['not_found'], 409: ['already_member'] }) },
      },
    },
    async (request, reply) => {
      const { customer_id, actor } = accessOf(request)
      const { role, ...invitation } = await inviteMember(context, actor, customer_id, request.body)
      return reply.code(201).send({ ...invitation, role: role! })
    },
  )

  app.get(
    '/invitations',
    {
      schema: {
        summary: 'List invitations not accepted yet',
        tags,
        querystring: Type.Object(PageQuery),
        response: { 200: PageOf(MemberInvitation) },
      },
    },
    async (request) => {
      const { customer_id } = accessOf(request)
      const { items, next } = await listInvitations(context, { customer_id }, request.query)
      return { items: items.map(({ role, ...invitation }) => ({ ...invitation, role: role! })), next }
    },
  )

  app.delete(
    '/invitations/:id',
    { schema: { summary: 'Withdraw an invitation', tags, params: IdPath, response: { 204: Empty } } },
    async (request, reply) => {
      const { customer_id, actor } = accessOf(request)
      await withdrawInvitation(context, actor, { customer_id }, request.params.id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/users/:id/password-reset',
    {
      schema: {
        summary: 'Make a one-time link with which a user sets a new password',
        description:
          'Portal session of an administrator only, and only for a person who belongs to this organization alone: a ' +
          'password belongs to the person, and another organization may trust it.',
        tags,
        params: IdPath,
        response: { 201: PasswordReset, ...refusals({ 403: ['portal_session_required', 'belongs_elsewhere'] }) },
      },
      onRequest: async (request) => {
        requirePortalSession(accessOf(request))
      },
    },
    async (request, reply) => {
      const { customer_id, actor } = accessOf(request)
      return reply.code(201).send(await makePasswordResetOfMember(context, actor, customer_id, request.params.id))
    },
  )
}
