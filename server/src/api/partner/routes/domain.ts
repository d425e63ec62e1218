import { Type } from 'typebox'
import { checkDomain, enterDomain, getDomain, removeDomain } from '../../../directory/partners/domains.ts'
import type { App } from '../../../platform/http/app.ts'
import { Empty, Instant, Nullable, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-partner.ts'

const route = tagged('Partner: info')

const Domain = Type.Object(
  {
    domain: Nullable(Type.String({ description: 'In ASCII, as people see it. Null: none was entered.' })),
    record_name: Nullable(Type.String({ description: 'Where to publish the TXT record.' })),
    record_value: Nullable(Type.String({ description: 'What the TXT record has to contain.' })),
    verified_at: Nullable(Type.Unsafe<Date>({ ...Instant, description: 'Null: not verified. Customers are told so.' })),
    checked_at: Nullable(
      Type.Unsafe<Date>({ ...Instant, description: 'When the service last looked for the record.' }),
    ),
    result: Nullable(
      Type.Enum(['found', 'missing', 'unreachable'], {
        description: 'Of the last check. `unreachable`: DNS gave no answer, which says nothing about the record.',
      }),
    ),
    ends_at: Nullable(
      Type.Unsafe<Date>({ ...Instant, description: 'When the verification ends unless the record is found before.' }),
    ),
  },
  {
    title: 'PartnerDomain',
    description: 'The domain that customers see beside the name of the partner, once verified.',
  },
)

const NewDomain = Type.Object(
  { domain: Type.String({ minLength: 1, maxLength: 260, description: 'Such as `acme.com`, without a host or path.' }) },
  { title: 'NewPartnerDomain', description: 'The domain to verify.', additionalProperties: false },
)

export function domainRoutes(app: App, context: Context): void {
  app.get(
    '/domain',
    route({
      reads: 'bounded',
      summary: "Get this partner's domain",
      description: 'With the DNS record that proves it, and what the last check found.',
      response: { 200: Domain },
    }),
    async (request) => getDomain(context, callerOf(request).partner_id),
  )

  app.put(
    '/domain',
    route({
      creates: { unlimited: 'a partner has one domain' },
      summary: 'Enter the domain of this partner',
      description:
        'It takes the place of the one before, which is then no longer verified. The same one again changes nothing.',
      body: NewDomain,
      response: { 200: Domain },
    }),
    async (request) => {
      const { actor, partner_id } = callerOf(request)
      return enterDomain(context, actor, partner_id, request.body.domain)
    },
  )

  app.post(
    '/domain/check',
    route({
      creates: { unlimited: 'checks a domain that exists' },
      summary: 'Look for the DNS record now',
      description:
        'The service also looks every day. A verification ends when the record was missing for seven days, or could not be looked up for thirty.',
      response: { 200: Domain, ...refusals({ 404: ['not_found'], 409: ['domain_taken'] }) },
    }),
    async (request) => {
      const { actor, partner_id } = callerOf(request)
      return checkDomain(context, actor, partner_id)
    },
  )

  app.delete(
    '/domain',
    route({
      summary: "Remove this partner's domain",
      description: 'Customers then see that no domain is verified.',
      response: { 204: Empty, ...refusals({ 404: ['not_found'] }) },
    }),
    async (request, reply) => {
      const { actor, partner_id } = callerOf(request)
      await removeDomain(context, actor, partner_id)
      return reply.code(204).send()
    },
  )
}
