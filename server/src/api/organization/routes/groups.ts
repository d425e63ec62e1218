import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
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
import { Member } from '../../../directory/organization/responses.ts'
import { IfMatch } from '../../../platform/http/etag.ts'
import { PageOf, PageQuery } from '../../../platform/http/pagination.ts'
import { Empty, Id, IdPath, Instant, Name, refusals } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { callerOf } from '../authenticate.ts'
import { peopleRights } from '../people-rights.ts'

const tags = ['Organization: groups']
const description = 'Not with a token or an API key for the person who approved it.'
const limited = refusals({ 403: ['administrators_protected', 'administrators_only'] })

const Group = Type.Object({ id: Id, name: Type.String(), created_at: Instant })
const GroupBody = Type.Object({ name: Name }, { additionalProperties: false })
const MemberPath = Type.Object({ id: Id, user_id: Id })

export function groupRoutes(app: App, context: Context): void {
  app.get(
    '/groups',
    {
      schema: {
        summary: 'List the groups of this organization',
        description: 'Answers 200 for every access token, whoever signed in (spec 4.6).',
        tags,
        querystring: Type.Object(PageQuery),
        response: { 200: PageOf(Group) },
      },
    },
    async (request) => listGroups(context, callerOf(request).customer_id, request.query),
  )

  app.post(
    '/groups',
    {
      schema: {
        summary: 'Create a group',
        tags,
        body: GroupBody,
        response: { 201: Group, ...refusals({ 409: ['name_taken'] }) },
      },
    },
    async (request, reply) => {
      const { customer_id, actor } = callerOf(request)
      return reply.code(201).send(await createGroup(context, actor, customer_id, request.body.name))
    },
  )

  app.get(
    '/groups/:id',
    { schema: { summary: 'Get a group', tags, params: IdPath, response: { 200: Group } } },
    async (request) => getGroup(context, callerOf(request).customer_id, request.params.id),
  )

  app.patch(
    '/groups/:id',
    {
      schema: {
        summary: 'Rename a group',
        tags,
        params: IdPath,
        headers: IfMatch,
        body: GroupBody,
        response: { 200: Group, ...refusals({ 409: ['name_taken'], 412: ['changed_meanwhile'] }) },
      },
    },
    async (request) => {
      const { customer_id: customerId, actor } = callerOf(request)
      const target = { customerId, id: request.params.id, ifMatch: request.headers['if-match'] }
      return renameGroup(context, actor, target, request.body.name)
    },
  )

  app.delete(
    '/groups/:id',
    {
      schema: {
        summary: 'Delete a group',
        tags,
        params: IdPath,
        response: { 204: Empty, ...refusals({ 409: ['group_in_use'] }) },
      },
    },
    async (request, reply) => {
      const { customer_id, actor } = callerOf(request)
      await deleteGroup(context, actor, customer_id, request.params.id)
      return reply.code(204).send()
    },
  )

  app.get(
    '/groups/:id/members',
    {
      schema: {
        summary: 'List the users of a group',
        tags,
        params: IdPath,
        querystring: Type.Object(PageQuery),
        response: { 200: PageOf(Member) },
      },
    },
    async (request) => listGroupMembers(context, callerOf(request).customer_id, request.params.id, request.query),
  )

  app.put(
    '/groups/:id/members/:user_id',
    {
      schema: {
        summary: 'Put a user into a group',
        description,
        tags,
        params: MemberPath,
        response: { 204: Empty, ...limited },
      },
    },
    async (request, reply) => {
      const access = callerOf(request)
      const { customer_id: customerId } = access
      const { id, user_id: userId } = request.params
      await addGroupMember(context, peopleRights(access), { customerId, id, userId })
      return reply.code(204).send()
    },
  )

  app.delete(
    '/groups/:id/members/:user_id',
    {
      schema: {
        summary: 'Take a user out of a group',
        description,
        tags,
        params: MemberPath,
        response: { 204: Empty, ...limited },
      },
    },
    async (request, reply) => {
      const access = callerOf(request)
      const { customer_id: customerId } = access
      const { id, user_id: userId } = request.params
      await removeGroupMember(context, peopleRights(access), { customerId, id, userId })
      return reply.code(204).send()
    },
  )
}
