import { Type } from 'typebox'
import { fullRights } from '../../../directory/accounts/people-rights.ts'
import {
  addMember,
  changeMember,
  getMember,
  listMembers,
  removeMember,
} from '../../../directory/organization/members.ts'
import type { App } from '../../../platform/http/app.ts'
import { IfMatch } from '../../../platform/http/etag.ts'
import { Email, Empty, Id, IdPath, Name, Password, Role, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { Member, MemberChange } from '../../shared/directory-schemas.ts'
import { guardedChange, paged, tagged } from '../../shared/route-schemas.ts'
import { operator } from '../authenticate-operator.ts'

const route = tagged('Operator: customers')

const NewMember = Type.Object(
  {
    name: Name,
    email: Email,
    password: Password,
    role: Role,
    groups: Type.Optional(
      Type.Array(Name, { maxItems: 100, description: 'Names. A group that does not exist is created.' }),
    ),
  },
  { title: 'NewUser', description: 'A user to add to a customer.', additionalProperties: false },
)

const MemberPath = Type.Object({ id: Id, user_id: Id })

export function memberRoutes(app: App, context: Context): void {
  app.post(
    '/customers/:id/users',
    route({
      creates: ['users', 'groups'],
      summary: 'Add a user to a customer',
      description:
        'A new email gets an account with this password. An email that already has one is invited: only its ' +
        'owner can join, by signing in and opening the link from `POST /core/v1/operator/invitations/{id}/link` ' +
        '(`id` is then the id of the invitation). The response has the same form in both cases.',
      params: IdPath,
      body: NewMember,
      response: { 201: Member, ...refusals({ 409: ['already_member'] }) },
    }),
    async (request, reply) => reply.code(201).send(await addMember(context, operator, request.params.id, request.body)),
  )

  app.get(
    '/customers/:id/users',
    route({
      reads: 'bounded',
      summary: "List a customer's users",
      description: 'With their roles and groups.',
      params: IdPath,
      ...paged(Member),
    }),
    async (request) => listMembers(context, request.params.id, request.query),
  )

  app.get(
    '/customers/:id/users/:user_id',
    route({
      reads: 'bounded',
      summary: 'Get a user of a customer',
      description: 'With their role and groups in this customer.',
      params: MemberPath,
      response: { 200: Member },
    }),
    async (request) => getMember(context, request.params.id, request.params.user_id),
  )

  app.patch(
    '/customers/:id/users/:user_id',
    route({
      summary: "Change a user's role, groups, or whether they are active",
      description: 'The last active administrator keeps the role.',
      params: MemberPath,
      body: MemberChange,
      ...guardedChange(Member, { 409: ['last_administrator'] }),
    }),
    async (request) => {
      const { id: customerId, user_id: userId } = request.params
      const target = { customerId, userId, ifMatch: request.headers['if-match'] }
      return changeMember(context, fullRights(operator), target, request.body)
    },
  )

  app.delete(
    '/customers/:id/users/:user_id',
    route({
      summary: 'Remove a user from a customer',
      description: 'The person keeps their account and their other memberships.',
      params: MemberPath,
      headers: IfMatch,
      response: { 204: Empty, ...refusals({ 409: ['last_administrator'], 412: ['changed_meanwhile'] }) },
    }),
    async (request, reply) => {
      const { id: customerId, user_id: userId } = request.params
      await removeMember(context, fullRights(operator), { customerId, userId, ifMatch: request.headers['if-match'] })
      return reply.code(204).send()
    },
  )
}
