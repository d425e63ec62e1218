import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import {
  inviteMember,
  listInvitations,
  makeInvitationLink,
  type PendingInvitation,
  withdrawInvitation,
} from '../../../directory/accounts/invitations.ts'
import { makePasswordResetOfMember } from '../../../directory/accounts/password-resets.ts'
import { Invitation, InvitationLink, PasswordReset } from '../../../directory/organization/responses.ts'
import { PageOf, PageQuery } from '../../../platform/http/pagination.ts'
import { Email, Empty, Id, IdPath, Name, Nullable, Role, refusals } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { callerOf, requirePortalSession } from '../authenticate.ts'
import { peopleRights } from '../people-rights.ts'

const tags = ['Organization: users']

const MemberInvitation = Type.Object({ ...Invitation.properties, role: Role, group_ids: Type.Array(Id) })
const NewInvitation = Type.Object(
  {
    email: Email,
    name: Type.Optional(Name),
    role: Role,
    groups: Type.Optional(Type.Array(Id, { maxItems: 100 })),
  },
  { additionalProperties: false },
)
const limited = { 403: ['administrators_protected', 'administrators_only'] } as const

export function invitationRoutes(app: App, context: Context): void {
  app.post(
    '/invitations',
    {
      schema: {
        summary: 'Invite a person to this organization',
        description:
          'The response is the same whether the email has an account or not. They join by opening the link. A token or ' +
          'an API key invites members only and gets no link (`link` is null): an administrator makes the link in the ' +
          'portal and hands it over. An invitation ends when whoever made it loses the right to: a removed or demoted ' +
          'administrator, a revoked key, grant or approval.',
        tags,
        body: NewInvitation,
        response: {
          201: Type.Object({ ...MemberInvitation.properties, link: Nullable(InvitationLink) }),
          ...refusals({ ...limited, 404: ['not_found'], 409: ['already_member', 'already_invited'] }),
        },
      },
    },
    async (request, reply) => {
      const access = callerOf(request)
      const rights = peopleRights(access)
      return reply.code(201).send(toMember(await inviteMember(context, rights, access.customer_id, request.body)))
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
      const { customer_id } = callerOf(request)
      const { items, next } = await listInvitations(context, { customer_id }, request.query)
      return { items: items.map(toMember), next }
    },
  )

  app.post(
    '/invitations/:id/link',
    {
      schema: {
        summary: 'Make the link of an invitation',
        description:
          'A new link that works for seven days; the one before no longer works. Also for invitations that came from a ' +
          'token or an API key. The link ends when you lose the right to make it. Portal session of an administrator only.',
        tags,
        params: IdPath,
        response: {
          201: Type.Object({ ...MemberInvitation.properties, link: InvitationLink }),
          ...refusals({ 403: ['portal_session_required', 'administrators_only'] }),
        },
      },
      onRequest: async (request) => {
        requirePortalSession(callerOf(request))
      },
    },
    async (request, reply) => {
      const { customer_id, actor } = callerOf(request)
      return reply
        .code(201)
        .send(toMember(await makeInvitationLink(context, actor, { customer_id }, request.params.id)))
    },
  )

  app.delete(
    '/invitations/:id',
    {
      schema: {
        summary: 'Withdraw an invitation',
        description: 'A token or an API key withdraws invitations of members only.',
        tags,
        params: IdPath,
        response: { 204: Empty, ...refusals(limited) },
      },
    },
    async (request, reply) => {
      const access = callerOf(request)
      const { customer_id } = access
      await withdrawInvitation(context, peopleRights(access), { customer_id }, request.params.id)
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
          'password belongs to the person, and another organization may trust it. The link ends when you lose the right to ' +
          'make it.',
        tags,
        params: IdPath,
        response: {
          201: PasswordReset,
          ...refusals({ 403: ['portal_session_required', 'belongs_elsewhere', 'administrators_only'] }),
        },
      },
      onRequest: async (request) => {
        requirePortalSession(callerOf(request))
      },
    },
    async (request, reply) => {
      const { customer_id, actor } = callerOf(request)
      return reply.code(201).send(await makePasswordResetOfMember(context, actor, customer_id, request.params.id))
    },
  )
}

/** Whoever is invited to a customer has a role there. */
function toMember<Invited extends PendingInvitation>({ role, ...invitation }: Invited) {
  return { ...invitation, role: role! }
}
