import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import { changeMember, getMember, listMembers, removeMember } from '../../../directory/organization/members.ts'
import { Member, MemberChange } from '../../../directory/organization/responses.ts'
import { IfMatch } from '../../../platform/http/etag.ts'
import { PageOf, PageQuery } from '../../../platform/http/pagination.ts'
import { Empty, IdPath, refusals } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { sharedText } from '../../../platform/http/shared-text.ts'
import { callerOf } from '../authenticate.ts'
import { peopleRights } from '../people-rights.ts'

const tags = ['Organization: users']
const limited = { 403: ['administrators_protected', 'administrators_only'] } as const

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
      sharedText(reply, await listMembers(context, callerOf(request).customer_id, request.query)),
  )

  app.get(
    '/users/:id',
    { schema: { summary: 'Get a user', tags, params: IdPath, response: { 200: Member } } },
    async (request) => getMember(context, callerOf(request).customer_id, request.params.id),
  )

  app.patch(
    '/users/:id',
    {
      schema: {
        summary: "Change a user's role, groups, or whether they are active",
        description:
          'Email, name and password belong to the person: an organization cannot change them. A token or an API key ' +
          'changes members only: neither the administrator role, nor an administrator’s `active`, nor anything of the ' +
          'person who approved it. Invitations and reset links that an administrator made end when they are one no more.',
        tags,
        params: IdPath,
        headers: IfMatch,
        body: MemberChange,
        response: { 200: Member, ...refusals({ ...limited, 409: ['last_administrator'], 412: ['changed_meanwhile'] }) },
      },
    },
    async (request) => {
      const access = callerOf(request)
      const { customer_id: customerId } = access
      const target = { customerId, userId: request.params.id, ifMatch: request.headers['if-match'] }
      return changeMember(context, peopleRights(access), target, request.body)
    },
  )

  app.delete(
    '/users/:id',
    {
      schema: {
        summary: 'Remove a user from this organization',
        description:
          'The person keeps their account. Tokens that applications hold stay: they belong to the grant. From now on no ' +
          'id_token and no userinfo response names this organization for the person. A token or an API key removes ' +
          'members only: no administrator, and not the person who approved it.',
        tags,
        params: IdPath,
        headers: IfMatch,
        response: { 204: Empty, ...refusals({ ...limited, 409: ['last_administrator'], 412: ['changed_meanwhile'] }) },
      },
    },
    async (request, reply) => {
      const access = callerOf(request)
      await removeMember(context, peopleRights(access), {
        customerId: access.customer_id,
        userId: request.params.id,
        ifMatch: request.headers['if-match'],
      })
      return reply.code(204).send()
    },
  )
}
