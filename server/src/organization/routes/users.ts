import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { changeMember, getMember, listMembers, removeMember } from '../../directory/members.ts'
import { Member, MemberChange } from '../../directory/shown.ts'
import { IfMatch } from '../../platform/http/etag.ts'
import { PageOf, PageQuery } from '../../platform/http/pagination.ts'
import { Empty, IdPath, refusals } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { sharedText } from '../../platform/http/shared-text.ts'
import { accessOf } from '../access.ts'

const tags = ['Organization: users']

export function userRoutes(app: App, context: Context): void {
  app.get(
    '/users',
    {
      schema: {
        summary: 'List the users of this organization',
        description: 'Answers 200 for every access token, whoever signed in (spec 4.6).',
        tags,
        querystring: Type.Object(PageQuery),
        response: { 200: PageOf(Member) },
      },
    },
    async (request, reply) =>
      sharedText(reply, await listMembers(context, accessOf(request).customer_id, request.query)),
  )

  app.get(
    '/users/:id',
    { schema: { summary: 'Get a user', tags, params: IdPath, response: { 200: Member } } },
    async (request) => getMember(context, accessOf(request).customer_id, request.params.id),
  )

  app.patch(
    '/users/:id',
    {
      schema: {
        summary: "Change a user's role, groups, or whether they are active",
        description: 'Email, name and password belong to the person: an organization cannot change them.',
        tags,
        params: IdPath,
        headers: IfMatch,
        body: MemberChange,
        response: { 200: Member, ...refusals({ 409: ['last_administrator'], 412: ['changed_meanwhile'] }) },
      },
    },
    async (request) => {
      const { customer_id: customerId, actor } = accessOf(request)
      const target = { customerId, userId: request.params.id, ifMatch: request.headers['if-match'] }
      return changeMember(context, actor, target, request.body)
    },
  )

  app.delete(
    '/users/:id',
    {
      schema: {
        summary: 'Remove a user from this organization',
        description: 'The person keeps their account. Tokens that applications hold stay: they belong to the grant.',
        tags,
        params: IdPath,
        headers: IfMatch,
        response: { 204: Empty, ...refusals({ 409: ['last_administrator'], 412: ['changed_meanwhile'] }) },
      },
    },
    async (request, reply) => {
      const { customer_id: customerId, actor } = accessOf(request)
      await removeMember(context, actor, {
        customerId,
        userId: request.params.id,
        ifMatch: request.headers['if-match'],
      })
      return reply.code(204).send()
    },
  )
}
