import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { addMember, getMember, listMembers } from '../../directory/members.ts'
import type { App } from '../../platform/http.ts'
import { PageOf, PageQuery } from '../../platform/pagination.ts'
import { Email, Id, IdPath, Instant, Name, Password, Role, refusals } from '../../platform/schemas.ts'
import { operator } from '../access.ts'

const tags = ['Operator: customers']

const Member = Type.Object({
  id: Id,
  email: Type.String(),
  name: Type.String(),
  email_verified: Type.Boolean(),
  role: Role,
  active: Type.Boolean(),
  groups: Type.Array(Type.Object({ id: Id, name: Type.String() })),
  created_at: Instant,
})

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
        description: 'A known email gains a membership and keeps its own name and password.',
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
}
