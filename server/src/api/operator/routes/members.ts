import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import { fullRights } from '../../../directory/accounts/people-rights.ts'
import {
  addMember,
  changeMember,
  getMember,
  listMembers,
  removeMember,
} from '../../../directory/organization/members.ts'
import { Member, MemberChange } from '../../../directory/organization/responses.ts'
import { IfMatch } from '../../../platform/http/etag.ts'
import { PageOf, PageQuery } from '../../../platform/http/pagination.ts'
import { Email, Empty, Id, IdPath, Name, Password, Role, refusals } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { operator } from '../authenticate.ts'

const tags = ['Operator: customers']

const NewMember = Type.Object(
  {
    name: Name,
    email: Email,
    password: Password,
    role: Role,
    groups: Type.Optional(
      Type.Array(Name, { maxItems: 100, description: 'Names; a group that does not exist yet is made.' }),
    ),
  },
  { additionalProperties: false },
)

const MemberPath = Type.Object({ id: Id, user_id: Id })

export function memberRoutes(app: App, context: Context): void {
  app.post(
    '/customers/:id/users',
    {
      schema: {
        summary: 'Add a user to a customer',
        description:
          'A new email gets an account with this password. An email that has an account is invited instead: only its ' +
          'owner can join, by signing in and opening the link that `POST /core/v1/operator/invitations/{id}/link` makes ' +
          '(`id` is then the invitation’s). The response has the same form for both.',
        tags,
        params: IdPath,
        body: NewMember,
        response: { 201: Member, ...refusals({ 409: ['already_member'] }) },
      },
    },
    async (request, reply) => reply.code(201).send(await addMember(context, operator, request.params.id, request.body)),
  )

  app.get(
    '/customers/:id/users',
    {
      schema: {
        summary: "List a customer's users",
        tags,
        params: IdPath,
        querystring: Type.Object(PageQuery),
        response: { 200: PageOf(Member) },
      },
    },
    async (request) => listMembers(context, request.params.id, request.query),
  )

  app.get(
    '/customers/:id/users/:user_id',
    { schema: { summary: 'Get a user of a customer', tags, params: MemberPath, response: { 200: Member } } },
    async (request) => getMember(context, request.params.id, request.params.user_id),
  )

  app.patch(
    '/customers/:id/users/:user_id',
    {
      schema: {
        summary: "Change a user's role, groups, or whether they are active",
        tags,
        params: MemberPath,
        headers: IfMatch,
        body: MemberChange,
        response: { 200: Member, ...refusals({ 409: ['last_administrator'], 412: ['changed_meanwhile'] }) },
      },
    },
    async (request) => {
      const { id: customerId, user_id: userId } = request.params
      const target = { customerId, userId, ifMatch: request.headers['if-match'] }
      return changeMember(context, fullRights(operator), target, request.body)
    },
  )

  app.delete(
    '/customers/:id/users/:user_id',
    {
      schema: {
        summary: 'Remove a user from a customer',
        tags,
        params: MemberPath,
        headers: IfMatch,
        response: { 204: Empty, ...refusals({ 409: ['last_administrator'], 412: ['changed_meanwhile'] }) },
      },
    },
    async (request, reply) => {
      const { id: customerId, user_id: userId } = request.params
      await removeMember(context, fullRights(operator), { customerId, userId, ifMatch: request.headers['if-match'] })
      return reply.code(204).send()
    },
  )
}
