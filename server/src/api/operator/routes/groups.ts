import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import { createGroup, getGroup, listGroups } from '../../../directory/organization/groups.ts'
import { PageOf, PageQuery } from '../../../platform/http/pagination.ts'
import { Id, IdPath, Instant, Name, refusals } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { operator } from '../authenticate.ts'

const tags = ['Operator: customers']

const Group = Type.Object({ id: Id, customer_id: Id, name: Type.String(), created_at: Instant })
const NewGroup = Type.Object({ name: Name }, { additionalProperties: false })
const GroupPath = Type.Object({ id: Id, group_id: Id })

export function groupRoutes(app: App, context: Context): void {
  app.post(
    '/customers/:id/groups',
    {
      schema: {
        summary: 'Create a group of a customer',
        tags,
        params: IdPath,
        body: NewGroup,
        response: { 201: Group, ...refusals({ 409: ['name_taken'] }) },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await createGroup(context, operator, request.params.id, request.body.name)),
  )

  app.get(
    '/customers/:id/groups',
    {
      schema: {
        summary: "List a customer's groups",
        tags,
        params: IdPath,
        querystring: Type.Object(PageQuery),
        response: { 200: PageOf(Group) },
      },
    },
    async (request) => listGroups(context, request.params.id, request.query),
  )

  app.get(
    '/customers/:id/groups/:group_id',
    { schema: { summary: 'Get a group of a customer', tags, params: GroupPath, response: { 200: Group } } },
    async (request) => getGroup(context, request.params.id, request.params.group_id),
  )
}
