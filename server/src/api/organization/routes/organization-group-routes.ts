import { Type } from 'typebox'
import {
  addGroupMember,
  createGroup,
  deleteGroup,
  getGroup,
  listGroupMembers,
  listGroups,
  removeGroupMember,
  renameGroup,
} from '../../../directory/organization/groups.ts'
import type { App } from '../../../platform/http/app.ts'
import { emptyPage } from '../../../platform/http/pagination.ts'
import { Empty, Id, IdPath, Instant, Name, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { Member } from '../../shared/directory-schemas.ts'
import { reading } from '../../shared/reads.ts'
import { guardedChange, paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-organization.ts'
import { peopleRights } from '../caller-rights.ts'

const route = tagged('Organization: groups')
const description = 'A token or an API key cannot do this to the person who approved it.'
const limited = refusals({ 403: ['administrators_protected', 'administrators_only'] })

const Group = Type.Object(
  { id: Id, name: Type.String(), created_at: Instant },
  { title: 'Group', description: 'A group of users.' },
)
const GroupBody = Type.Object(
  { name: Name },
  { title: 'NewGroup', description: 'A group to create, or its new name.', additionalProperties: false },
)
const GroupFilters = {
  search: Type.Optional(
    Type.String({
      maxLength: 128,
      description: 'A part of the name; one or two characters are the beginning of a word.',
    }),
  ),
}
const MemberPath = Type.Object({ id: Id, user_id: Id })

export function groupRoutes(app: App, context: Context): void {
  app.get(
    '/groups',
    route({
      permission: 'people: read',
      everyToken: true,
      reads: 'growing',
      summary: 'List the groups of this organization',
      description:
        'Returns 200 for every access token, regardless of who signed in: an empty list for one that was not approved for `people: read`.',
      ...paged(Group, GroupFilters),
    }),
    async (request) => {
      const caller = callerOf(request)
      if (caller.within !== null) return emptyPage
      return listGroups(reading(context, caller, request), caller.customer_id, request.query)
    },
  )

  app.post(
    '/groups',
    route({
      permission: 'people: manage',
      creates: 'groups',
      summary: 'Create a group',
      description: 'It has no members yet. A group can decide who may connect an application.',
      body: GroupBody,
      response: { 201: Group, ...refusals({ 409: ['name_taken'] }) },
    }),
    async (request, reply) => {
      const { customer_id, actor } = callerOf(request)
      return reply.code(201).send(await createGroup(context, actor, customer_id, request.body.name))
    },
  )

  app.get(
    '/groups/:id',
    route({
      permission: 'people: read',
      reads: 'bounded',
      summary: 'Get a group',
      description: 'One group, without its members.',
      params: IdPath,
      response: { 200: Group },
    }),
    async (request) => getGroup(context, callerOf(request).customer_id, request.params.id),
  )

  app.patch(
    '/groups/:id',
    route({
      permission: 'people: manage',
      summary: 'Rename a group',
      description: 'The name is unique in the organization.',
      params: IdPath,
      body: GroupBody,
      ...guardedChange(Group, { 409: ['name_taken'] }),
    }),
    async (request) => {
      const { customer_id: customerId, actor } = callerOf(request)
      const target = { customerId, id: request.params.id, ifMatch: request.headers['if-match'] }
      return renameGroup(context, actor, target, request.body.name)
    },
  )

  app.delete(
    '/groups/:id',
    route({
      permission: 'people: manage',
      summary: 'Delete a group',
      description: 'Its users stay. A group that decides who may connect an application cannot be deleted.',
      params: IdPath,
      response: { 204: Empty, ...refusals({ 409: ['group_in_use'] }) },
    }),
    async (request, reply) => {
      const { customer_id, actor } = callerOf(request)
      await deleteGroup(context, actor, customer_id, request.params.id)
      return reply.code(204).send()
    },
  )

  app.get(
    '/groups/:id/members',
    route({
      permission: 'people: read',
      reads: 'bounded',
      summary: 'List the users of a group',
      description: 'With their roles and all their groups.',
      params: IdPath,
      ...paged(Member),
    }),
    async (request) => listGroupMembers(context, callerOf(request).customer_id, request.params.id, request.query),
  )

  app.put(
    '/groups/:id/members/:user_id',
    route({
      permission: 'people: manage',
      creates: { unlimited: 'bounded by the quotas of groups and users' },
      summary: 'Add a user to a group',
      description,
      params: MemberPath,
      response: { 204: Empty, ...limited },
    }),
    async (request, reply) => {
      const caller = callerOf(request)
      const { id, user_id: userId } = request.params
      await addGroupMember(context, peopleRights(caller), { customerId: caller.customer_id, id, userId })
      return reply.code(204).send()
    },
  )

  app.delete(
    '/groups/:id/members/:user_id',
    route({
      permission: 'people: manage',
      summary: 'Remove a user from a group',
      description,
      params: MemberPath,
      response: { 204: Empty, ...limited },
    }),
    async (request, reply) => {
      const caller = callerOf(request)
      const { id, user_id: userId } = request.params
      await removeGroupMember(context, peopleRights(caller), { customerId: caller.customer_id, id, userId })
      return reply.code(204).send()
    },
  )
}
