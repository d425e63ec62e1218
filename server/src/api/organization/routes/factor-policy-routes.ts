import { type TSchema, Type } from 'typebox'
import { requireFreshProof } from '../../../directory/accounts/proof.ts'
import { listMembersWithFactors } from '../../../directory/organization/factor-lists.ts'
import {
  countFactors,
  factorPolicies,
  getFactorPolicy,
  setFactorPolicy,
} from '../../../directory/organization/factor-policy.ts'
import type { App } from '../../../platform/http/app.ts'
import { Instant, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { Member } from '../../shared/directory-schemas.ts'
import { reading } from '../../shared/reads.ts'
import { guardedChange, paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf, requirePortalSession } from '../authenticate-organization.ts'
import { MemberFilters } from './user-routes.ts'

const route = tagged('Organization: users')

const described = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })
const Policy = Type.Enum([...factorPolicies], {
  description: 'Who has to have a second factor: nobody, administrators, or all users.',
})
const FactorPolicy = Type.Object(
  {
    policy: Policy,
    administrators_since: described(Instant, 'Since when administrators need one; null: they do not.'),
    all_since: described(Instant, 'Since when every user needs one; null: they do not.'),
  },
  {
    title: 'SecondFactorPolicy',
    description: 'Who has to have a second factor, and since when. Everybody has seven days to set one up.',
  },
)
const Counts = Type.Object(
  {
    passkey: Type.Integer({ description: 'With a passkey.' }),
    app: Type.Integer({ description: 'With an app that shows codes, and no passkey.' }),
    none: Type.Integer({ description: 'With neither.' }),
    missing: Type.Integer({ description: 'Of those without one, who are required to have one.' }),
  },
  {
    title: 'SecondFactorCounts',
    description: 'How many active users have which second factor, counted up to 10,000.',
  },
)
const FactorReset = Type.Object(
  {
    asked_by: Type.String({ format: 'uuid', description: 'The administrator who asked for it.' }),
    asked_by_name: Type.String({ description: 'Their name.' }),
    asked_at: Type.Unsafe<Date>({ type: 'string', format: 'date-time', description: 'When it was asked for.' }),
    takes_effect_at: Type.Unsafe<Date>({
      type: 'string',
      format: 'date-time',
      description: 'When the second factors are removed.',
    }),
  },
  { title: 'SecondFactorReset', description: 'A reset of the second factors of a person that waits for its time.' },
)
const MemberWithFactor = Type.Object(
  {
    ...Member.properties,
    second_factor: described(Type.Enum(['passkey', 'app']), 'The strongest that the person has; null: none.'),
    second_factor_due_at: described(Instant, 'Until when the person has to set one up; null: not required, or done.'),
    second_factor_reset: described(FactorReset, 'The reset that is pending; null: none.'),
  },
  { title: 'UserWithSecondFactor', description: 'A user of an organization, with their second factor.' },
)
const readByPeople = { 403: ['portal_session_required', 'administrators_only'] } as const
const portalOnly = { 403: ['portal_session_required', 'administrators_only', 'proof_needed'] } as const

export function factorPolicyRoutes(app: App, context: Context): void {
  app.get(
    '/second-factor-policy',
    {
      ...route({
        permission: 'people: manage',
        reads: 'bounded',
        summary: 'Get who has to have a second factor',
        description: 'Requires the portal session of an administrator.',
        response: { 200: FactorPolicy, ...refusals(readByPeople) },
      }),
      onRequest: async (request) => requirePortalSession(request),
    },
    async (request) => getFactorPolicy(context, callerOf(request).customer_id),
  )

  app.patch(
    '/second-factor-policy',
    {
      ...route({
        permission: 'people: manage',
        summary: 'Change who has to have a second factor',
        description:
          'Requires the portal session of an administrator who has confirmed their identity within ten minutes. People ' +
          'have seven days from now, from joining or from becoming an administrator; afterwards a session without a ' +
          'second factor gets 403 `second_factor_required` for this organization. Tokens and API keys are not affected.',
        body: Type.Object(
          { policy: Policy },
          {
            title: 'SecondFactorPolicyChange',
            description: 'Who shall have a second factor.',
            additionalProperties: false,
          },
        ),
        ...guardedChange(FactorPolicy, portalOnly),
      }),
      onRequest: async (request) => requirePortalSession(request),
    },
    async (request) => {
      const { customer_id: customerId, actor, session } = callerOf(request)
      requireFreshProof(context, session!)
      const target = { customerId, ifMatch: request.headers['if-match'] }
      return await setFactorPolicy(context, actor, target, request.body.policy)
    },
  )

  app.get(
    '/second-factors',
    {
      ...route({
        permission: 'people: manage',
        reads: 'growing',
        summary: 'Count the second factors of this organization’s users',
        description: 'Requires the portal session of an administrator.',
        response: { 200: Counts, ...refusals(readByPeople) },
      }),
      onRequest: async (request) => requirePortalSession(request),
    },
    async (request) => countFactors(reading(context, callerOf(request), request), callerOf(request).customer_id),
  )

  app.get(
    '/second-factors/users',
    {
      ...route({
        permission: 'people: manage',
        reads: 'growing',
        summary: 'List users with their second factors',
        description:
          'For the portal: as the list of users, with what each has. Requires the portal session of an administrator. ' +
          '10,000 users may match at most.',
        ...paged(
          MemberWithFactor,
          {
            ...MemberFilters,
            second_factor: Type.Optional(
              Type.Enum(['passkey', 'app', 'none', 'missing'], {
                description: '`missing`: those who have none, and are required to have one.',
              }),
            ),
          },
          { ...readByPeople, 422: ['too_many_to_sort'] },
        ),
      }),
      onRequest: async (request) => requirePortalSession(request),
    },
    async (request) => {
      const caller = callerOf(request)
      return await listMembersWithFactors(reading(context, caller, request), caller.customer_id, request.query)
    },
  )
}
