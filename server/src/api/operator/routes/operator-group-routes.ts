import { Type } from 'typebox'
import { createGroup, getGroup, listGroups } from '../../../directory/organization/groups.ts'
import type { App } from '../../../platform/http/app.ts'
import { Id, IdPath, Instant, Name, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { paged, tagged } from '../../shared/route-schemas.ts'
import { operator } from '../authenticate-operator.ts'

const route = tagged('Operator: customers')

const Group = Type.Object(
  { id: Id, customer_id: Id, name: Type.String(), created_at: Instant },
  { title: 'CustomerGroup', description: 'A group of users of a customer.' },
)
const NewGroup = Type.Object(
  { name: Name },
  { title: 'NewGroup', description: 'A group to create, or its new name.', additionalProperties: false },
)
const GroupPath = Type.Object({ id: Id, group_id: Id })

export function groupRoutes(app: App, context: Context): void {
  app.post(
    '/customers/:id/groups',
    route({
      creates: 'groups',
      summary: 'Create a group of a customer',
      description: 'It has no members yet.',
      params: IdPath,
      body: NewGroup,
      response: { 201: Group, ...refusals({ 409: ['name_taken'] }) },
    }),
    async (request, reply) =>
      reply.code(201).send(await createGroup(context, operator, request.params.id, request.body.name)),
  )

  app.get(
    '/customers/:id/groups',
    route({
      reads: 'bounded',
      summary: "List a customer's groups",
      description: 'Groups decide who may connect an application.',
      params: IdPath,
      ...paged(Group),
    }),
    async (request) => listGroups(context, request.params.id, request.query),
  )

  app.get(
    '/customers/:id/groups/:group_id',
    route({
      reads: 'bounded',
      summary: 'Get a group of a customer',
      description: 'One group, without its members.',
      params: GroupPath,
      response: { 200: Group },
    }),
    async (request) => getGroup(context, request.params.id, request.params.group_id),
  )
}
