import { Type } from 'typebox'
import {
  createInvitationLink,
  inviteMember,
  listInvitations,
  withdrawInvitation,
} from '../../../directory/accounts/invitations.ts'
import { fullRights } from '../../../directory/accounts/people-rights.ts'
import { getCustomer } from '../../../directory/organization/customers.ts'
import type { App } from '../../../platform/http/app.ts'
import { Empty, Id, IdPath, Nullable, Role, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { Invitation, InvitationLink, Invitee, Mailed, WillViewDevices } from '../../shared/directory-schemas.ts'
import { paged, tagged } from '../../shared/route-schemas.ts'
import { operator } from '../authenticate-operator.ts'

const route = tagged('Operator: people')

const AnyInvitation = Type.Object(
  {
    ...Invitation.properties,
    customer_id: Nullable(Id),
    partner_id: Nullable(Id),
    role: Nullable(Role),
    group_ids: Type.Array(Id),
    can_view_devices: WillViewDevices,
  },
  { title: 'AnyInvitation', description: 'A pending invitation to a customer or to a partner.' },
)
const AnyInvitationWithLink = Type.Object(
  { ...AnyInvitation.properties, link: InvitationLink, mailed: Mailed },
  { title: 'AnyInvitationWithLink', description: 'A pending invitation, with its link.' },
)
const InvitationFilters = { customer_id: Type.Optional(Id), partner_id: Type.Optional(Id) }

/** Pending invitations of every customer and partner. */
export function invitationRoutes(app: App, context: Context): void {
  app.get(
    '/invitations',
    route({
      reads: 'bounded',
      summary: 'List pending invitations',
      description: 'Of one customer or partner, or of all of them.',
      ...paged(AnyInvitation, InvitationFilters),
    }),
    async (request) => {
      const { customer_id, partner_id } = request.query
      const target = partner_id ? { partner_id } : customer_id ? { customer_id } : null
      return listInvitations(context, target, request.query)
    },
  )

  app.post(
    '/customers/:id/invitations',
    route({
      creates: 'users',
      summary: 'Invite a person to a customer',
      description: 'Hand the link to the person, who joins by opening it, with a new account or the one they have.',
      params: IdPath,
      body: Type.Object(
        { ...Invitee.properties, role: Role, can_view_devices: Type.Optional(WillViewDevices) },
        { title: 'CustomerInvitee', description: 'The person to invite.', additionalProperties: false },
      ),
      response: { 201: AnyInvitationWithLink, ...refusals({ 409: ['already_member'] }) },
    }),
    async (request, reply) => {
      const { id } = await getCustomer(context, request.params.id)
      const { link, ...invitation } = await inviteMember(context, fullRights(operator), id, request.body)
      return reply.code(201).send({ ...invitation, link: link! })
    },
  )

  app.post(
    '/invitations/:id/link',
    route({
      creates: { unlimited: 'replaces the link of the invitation' },
      summary: 'Create the link of an invitation',
      description: 'The new link works for seven days. An earlier link no longer works.',
      params: IdPath,
      response: { 201: AnyInvitationWithLink },
    }),
    async (request, reply) =>
      reply.code(201).send(await createInvitationLink(context, operator, null, request.params.id)),
  )

  app.delete(
    '/invitations/:id',
    route({
      summary: 'Withdraw an invitation',
      description: 'Its link stops working at once.',
      params: IdPath,
      response: { 204: Empty },
    }),
    async (request, reply) => {
      await withdrawInvitation(context, fullRights(operator), null, request.params.id)
      return reply.code(204).send()
    },
  )
}
