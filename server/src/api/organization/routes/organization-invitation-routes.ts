import { Type } from 'typebox'
import {
  createInvitationLink,
  inviteMember,
  listInvitations,
  type PendingInvitation,
  withdrawInvitation,
} from '../../../directory/accounts/invitations.ts'
import { createPasswordResetOfMember } from '../../../directory/accounts/password-resets.ts'
import type { App } from '../../../platform/http/app.ts'
import { Email, Empty, Id, IdPath, Name, Nullable, Role, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { Invitation, InvitationLink, Mailed, PasswordReset, WillViewDevices } from '../../shared/directory-schemas.ts'
import { paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf, requirePortalSession } from '../authenticate-organization.ts'
import { peopleRights } from '../caller-rights.ts'

const route = tagged('Organization: users')

const MemberInvitation = Type.Object(
  { ...Invitation.properties, role: Role, group_ids: Type.Array(Id), can_view_devices: WillViewDevices },
  { title: 'Invitation', description: 'A pending invitation to this organization.' },
)
const NewInvitation = Type.Object(
  {
    email: Email,
    name: Type.Optional(Name),
    role: Role,
    groups: Type.Optional(Type.Array(Id, { maxItems: 100 })),
    can_view_devices: Type.Optional(WillViewDevices),
  },
  { title: 'NewInvitation', description: 'The person to invite.', additionalProperties: false },
)
const limited = { 403: ['administrators_protected', 'administrators_only'] } as const

export function invitationRoutes(app: App, context: Context): void {
  app.post(
    '/invitations',
    route({
      permission: 'people: manage',
      creates: 'users',
      summary: 'Invite a person to this organization',
      description:
        'The response is the same whether the email has an account or not. The person joins by opening the link. A token or ' +
        'an API key invites members only and gets no link (`link` is null): it is mailed to the person, or an administrator ' +
        'creates one in the portal and hands it over. An invitation becomes invalid when its creator loses the right to invite: a removed or demoted ' +
        'administrator, a revoked key, grant or approval.',
      body: NewInvitation,
      response: {
        201: Type.Object(
          { ...MemberInvitation.properties, link: Nullable(InvitationLink), mailed: Mailed },
          {
            title: 'CreatedInvitation',
            description: 'A new invitation; with its link where a person made it in the portal.',
          },
        ),
        ...refusals({ ...limited, 404: ['not_found'], 409: ['already_member', 'already_invited'] }),
      },
    }),
    async (request, reply) => {
      const caller = callerOf(request)
      const rights = peopleRights(caller)
      return reply.code(201).send(withRole(await inviteMember(context, rights, caller.customer_id, request.body)))
    },
  )

  app.get(
    '/invitations',
    route({
      permission: 'people: read',
      reads: 'bounded',
      summary: 'List pending invitations',
      description: 'Invitations that nobody has accepted yet, without their links.',
      ...paged(MemberInvitation),
    }),
    async (request) => {
      const { customer_id } = callerOf(request)
      const { items, next } = await listInvitations(context, { customer_id }, request.query)
      return { items: items.map(withRole), next }
    },
  )

  app.post(
    '/invitations/:id/link',
    {
      ...route({
        permission: 'people: manage',
        creates: { unlimited: 'replaces the link of the invitation' },
        summary: 'Create the link of an invitation',
        description:
          'The new link works for seven days. An earlier link no longer works. Also for invitations that came from a ' +
          'token or an API key. The link becomes invalid when you lose the right to invite. Requires the portal session of an administrator.',
        params: IdPath,
        response: {
          201: Type.Object(
            { ...MemberInvitation.properties, link: InvitationLink, mailed: Mailed },
            { title: 'InvitationWithLink', description: 'A pending invitation to this organization, with its link.' },
          ),
          ...refusals({ 403: ['portal_session_required', 'administrators_only'] }),
        },
      }),
      onRequest: async (request) => requirePortalSession(request),
    },
    async (request, reply) => {
      const { customer_id, actor } = callerOf(request)
      return reply
        .code(201)
        .send(withRole(await createInvitationLink(context, actor, { customer_id }, request.params.id)))
    },
  )

  app.delete(
    '/invitations/:id',
    route({
      permission: 'people: manage',
      summary: 'Withdraw an invitation',
      description: 'A token or an API key can withdraw invitations of members only.',
      params: IdPath,
      response: { 204: Empty, ...refusals(limited) },
    }),
    async (request, reply) => {
      const caller = callerOf(request)
      const { customer_id } = caller
      await withdrawInvitation(context, peopleRights(caller), { customer_id }, request.params.id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/users/:id/password-reset',
    {
      ...route({
        permission: 'people: manage',
        creates: { unlimited: 'of the links of a person, only the newest 20 stay' },
        summary: 'Create a one-time link to set a new password',
        description:
          'Requires the portal session of an administrator, and a person who belongs to this organization only: a ' +
          'password belongs to the person, and another organization may trust it. The link becomes invalid when you lose the right to ' +
          'create it.',
        params: IdPath,
        response: {
          201: PasswordReset,
          ...refusals({ 403: ['portal_session_required', 'belongs_elsewhere', 'administrators_only'] }),
        },
      }),
      onRequest: async (request) => requirePortalSession(request),
    },
    async (request, reply) => {
      const { customer_id, actor } = callerOf(request)
      return reply.code(201).send(await createPasswordResetOfMember(context, actor, customer_id, request.params.id))
    },
  )
}

/** An invitation to a customer always has a role. */
function withRole<Invited extends PendingInvitation>({ role, ...invitation }: Invited) {
  return { ...invitation, role: role! }
}
