import { Type } from 'typebox'
import { endSessionsOfMember } from '../../../directory/accounts/ended-sessions.ts'
import { findMembers, memberSorts } from '../../../directory/organization/member-lists.ts'
import { changeMember, getMember, listMembers, removeMember } from '../../../directory/organization/members.ts'
import type { App } from '../../../platform/http/app.ts'
import { IfMatch } from '../../../platform/http/etag.ts'
import { emptyPage } from '../../../platform/http/pagination.ts'
import { Empty, IdPath, refusals } from '../../../platform/http/schemas.ts'
import { sharedText } from '../../../platform/http/shared-text.ts'
import type { Context } from '../../context.ts'
import { EndedSessions, Member, MemberChange } from '../../shared/directory-schemas.ts'
import { reading } from '../../shared/reads.ts'
import { guardedChange, paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-organization.ts'
import { requireCallerProof } from '../caller-proof.ts'
import { peopleRights } from '../caller-rights.ts'

const route = tagged('Organization: users')
const limited = { 403: ['administrators_protected', 'administrators_only'] } as const

export const MemberFilters = {
  search: Type.Optional(
    Type.String({
      maxLength: 254,
      description: 'A part of the name or the email address; one or two characters are the beginning of a word.',
    }),
  ),
  sort: Type.Optional(
    Type.Enum(
      memberSorts.flatMap((field) => [field, `-${field}`] as const),
      {
        description:
          'The order; with `-`, the other way round. By default the order in which the accounts were created.',
      },
    ),
  ),
}

export function userRoutes(app: App, context: Context): void {
  app.get(
    '/users',
    route({
      permission: 'people: read',
      everyToken: true,
      reads: 'growing',
      summary: 'List the users of this organization',
      description:
        'Returns 200 for every access token, regardless of who signed in: an empty list for one that was not approved for `people: read`. To search or sort, 10,000 users may match at most.',
      ...paged(Member, MemberFilters, { 422: ['too_many_to_sort'] }),
    }),
    async (request, reply) => {
      const { customer_id: customerId, within } = callerOf(request)
      if (within !== null) return emptyPage
      const { search, sort, ...page } = request.query
      // A plain page is a range of an index, shared with whoever asks for it at the same moment.
      if (search === undefined && sort === undefined)
        return sharedText(reply, await listMembers(context, customerId, page))
      return await findMembers(reading(context, callerOf(request), request), customerId, request.query)
    },
  )

  app.get(
    '/users/:id',
    route({
      permission: 'people: read',
      reads: 'bounded',
      summary: 'Get a user',
      description: 'With their role and groups in this organization.',
      params: IdPath,
      response: { 200: Member },
    }),
    async (request) => getMember(context, callerOf(request).customer_id, request.params.id),
  )

  app.patch(
    '/users/:id',
    route({
      permission: 'people: manage',
      summary: "Change a user's role, groups, or whether they are active",
      description:
        'Email, name and password belong to the person; an organization cannot change them. A token or an API key ' +
        'changes members only: neither the administrator role, nor an administrator’s `active`, nor anything of the ' +
        'person who approved it. Invitations and reset links that an administrator created become invalid when they lose that role.',
      params: IdPath,
      body: MemberChange,
      ...guardedChange(Member, { ...limited, 409: ['last_administrator'] }),
    }),
    async (request) => {
      const caller = callerOf(request)
      const { customer_id: customerId } = caller
      const target = { customerId, userId: request.params.id, ifMatch: request.headers['if-match'] }
      return changeMember(context, peopleRights(caller), target, request.body)
    },
  )

  app.post(
    '/users/:id/end-sessions',
    route({
      permission: 'people: manage',
      creates: { unlimited: 'ends what exists' },
      summary: 'Sign a user out everywhere',
      description:
        'Ends the sessions of a person in every browser; open streams end within a second. The person can sign in again: to ' +
        'keep them out, deactivate or remove them. Only for a person who belongs to this organization alone. In the ' +
        'portal, an administrator who has not confirmed their identity in the last ten minutes gets `proof_needed`.',
      params: IdPath,
      response: {
        200: EndedSessions,
        ...refusals({ 403: [...limited[403], 'belongs_elsewhere', 'proof_needed'] }),
      },
    }),
    async (request) => {
      await requireCallerProof(context, request)
      const caller = callerOf(request)
      return await endSessionsOfMember(context, peopleRights(caller), caller.customer_id, request.params.id)
    },
  )

  app.delete(
    '/users/:id',
    route({
      permission: 'people: manage',
      summary: 'Remove a user from this organization',
      description:
        'The person keeps their account. Tokens that applications hold stay: they belong to the grant. From now on no ' +
        'id_token or userinfo response names this organization for the person. A token or an API key removes ' +
        'members only: no administrator, and not the person who approved it.',
      params: IdPath,
      headers: IfMatch,
      response: { 204: Empty, ...refusals({ ...limited, 409: ['last_administrator'], 412: ['changed_meanwhile'] }) },
    }),
    async (request, reply) => {
      const caller = callerOf(request)
      await removeMember(context, peopleRights(caller), {
        customerId: caller.customer_id,
        userId: request.params.id,
        ifMatch: request.headers['if-match'],
      })
      return reply.code(204).send()
    },
  )
}
