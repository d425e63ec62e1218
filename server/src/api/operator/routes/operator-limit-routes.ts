import { type Static, Type } from 'typebox'
import { specLimits } from '../../../authorization/spec-limits.ts'
import { findNames } from '../../../directory/names.ts'
import type { App } from '../../../platform/http/app.ts'
import { Id, Instant, Nullable } from '../../../platform/http/schemas.ts'
import { listReached } from '../../../platform/limits-reached.ts'
import { lifetimes, ownLimits, type QuotaName, type RateName, signInLimits } from '../../../platform/own-limits.ts'
import { quotaWords, rateWords } from '../../../platform/quotas.ts'
import type { Context } from '../../context.ts'
import { tagged } from '../../shared/route-schemas.ts'

const Limit = Type.Object(
  {
    what: Type.String(),
    per: Type.String({ description: 'What the limit is counted by: an address, an application, an account …' }),
    max: Type.Integer(),
    window_seconds: Type.Integer(),
  },
  { title: 'RateLimit', description: 'A limit of requests per time.' },
)

const Bound = Type.Object(
  {
    what: Type.String(),
    max: Type.Integer(),
    unit: Type.Enum(['characters', 'seconds']),
  },
  { title: 'Bound', description: 'The longest that something may be or last.' },
)

const Quota = Type.Object(
  {
    name: Type.String({ description: 'As in `LANDBRIDGE_QUOTAS`.' }),
    what: Type.String(),
    per: Type.String({ description: 'What may have that many.' }),
    max: Type.Integer(),
  },
  { title: 'Quota', description: 'How many of a thing there may be.' },
)

const ReachedLimit = Type.Object(
  {
    tenant: Type.Object(
      { kind: Type.Enum(['customer', 'partner']), id: Id, name: Nullable(Type.String()) },
      { title: 'LimitedTenant', description: 'A customer or partner.' },
    ),
    name: Type.String({ description: 'Of the rate or quota.' }),
    what: Type.String(),
    used: Type.Integer({ description: 'When it was last reached.' }),
    max: Type.Integer({ description: 'When it was last reached.' }),
    caller: Nullable(
      Type.Object(
        { id: Id, name: Nullable(Type.String()) },
        { title: 'LimitedCaller', description: 'The application, API key or person whose rate it is.' },
      ),
    ),
    reached_at: Instant,
    refused_at: Nullable(Instant),
    refusals: Type.Integer({
      description: 'Refused calls for a quota; for a rate, minutes with refused calls, once for each process.',
    }),
  },
  { title: 'ReachedLimit', description: 'A rate or quota that a tenant has used to 80% or more, or beyond.' },
)

/** More than an operator reads; it bounds the response. */
const maxReached = 200

/** The very numbers the code enforces, so that a console never shows outdated ones. */
export function limitRoutes(app: App, context: Context): void {
  const route = tagged('Operator: limits')
  app.get(
    '/limits/reached',
    route({
      reads: 'bounded',
      summary: 'List rates and quotas that tenants have nearly or fully used',
      description: `The newest first, of the last 30 days, ${maxReached} at most.`,
      response: {
        200: Type.Object(
          { items: Type.Array(ReachedLimit), next: Type.Null() },
          { title: 'ReachedLimits', description: 'Rates and quotas that tenants have nearly or fully used.' },
        ),
      },
    }),
    async () => ({ items: await readReached(context), next: null }),
  )

  app.get(
    '/limits',
    route({
      reads: 'bounded',
      summary: 'Get the limits in force: rates, quotas, lengths and lifetimes',
      description: 'The numbers that this process enforces.',
      response: {
        200: Type.Object(
          { items: Type.Array(Limit), quotas: Type.Array(Quota), bounds: Type.Array(Bound), next: Type.Null() },
          { title: 'Limits', description: 'The limits in force.' },
        ),
      },
    }),
    async () => ({ items: [...ratesOf(context), ...limits], quotas: quotasOf(context), bounds, next: null }),
  )
}

async function readReached(context: Context): Promise<Static<typeof ReachedLimit>[]> {
  const rows = await listReached(context.sql, maxReached)
  const ids = rows.flatMap(({ tenant_id, caller_id }) => (caller_id ? [tenant_id, caller_id] : [tenant_id]))
  const names = new Map((await findNames(context, { operator: true }, ids)).map(({ id, name }) => [id, name]))
  const named = (id: string) => ({ id, name: names.get(id) ?? null })
  return rows.map(({ tenant_id, tenant_kind, caller_id, name, ...row }) => ({
    ...row,
    name,
    tenant: { kind: tenant_kind, ...named(tenant_id) },
    caller: caller_id ? named(caller_id) : null,
    what: name in rateWords ? rateWords[name as RateName] : (quotaWords[name as QuotaName]?.label ?? name),
  }))
}

function ratesOf({ config: { rates, registrationsPerKey } }: Context) {
  return [
    minute('Registrations', 'hardware key', registrationsPerKey),
    minute('Calls of the organization API', 'organization', rates.organization),
    minute('Calls of the partner API', 'partner', rates.partner),
    minute('Calls of either API', 'application at an organization, API key or person', rates.credential),
  ]
}

function quotasOf({ config: { quotas } }: Context) {
  return (Object.entries(quotas) as [QuotaName, number][]).map(([name, max]) => ({
    name,
    what: quotaWords[name].label,
    per: quotaWords[name].of.replace(/\b[Aa]n? /g, ''),
    max,
  }))
}

const minute = (what: string, per: string, max: number) => ({ what, per, max, window_seconds: 60 })
const signInSeconds = signInLimits.windowMilliseconds / 1000

const limits = [
  minute('Authorization endpoint', 'address', ownLimits.authorizationRequestsPerAddress),
  minute('Token endpoint', 'address', specLimits.tokenRequestsPerAddress),
  minute('Token endpoint', 'application', specLimits.tokenRequestsPerClient),
  minute('Revocation endpoint', 'address', specLimits.revocationRequestsPerAddress),
  minute('Userinfo endpoint', 'address', specLimits.userinfoRequestsPerAddress),
  minute('Discovery', 'address', specLimits.discoveryRequestsPerAddress),
  minute('Key set', 'address', specLimits.keySetRequestsPerAddress),
  minute('Wrong operator and API keys', 'address', ownLimits.wrongKeysPerAddress),
  minute('Failed claims', 'user', ownLimits.failedClaimsPerUser),
  minute('Failed claims', 'all API keys and tokens of a customer', ownLimits.failedClaimsByKeysOfCustomer),
  minute('Failed claims', 'customer', ownLimits.failedClaimsPerCustomer),
  minute('Failed claims', 'address', ownLimits.failedClaimsPerAddress),
  minute('Refused registrations', 'address', ownLimits.refusedRegistrationsPerAddress),
  minute('Refused registrations', 'address and model', ownLimits.refusedRegistrationsPerAddressAndModel),
  minute('Refused mass telemetry above 64 KiB', 'address and process', ownLimits.refusedLargeCallsPerAddress),
  minute('Test events', 'webhook', ownLimits.testEventsPerWebhook),
  minute('Requests to approve an application', 'user', ownLimits.approvalRequestsPerUser),
  minute('Checks of a domain', 'partner', ownLimits.domainChecksPerPartner),
  minute('Sign-ins', 'account', ownLimits.signInsPerAccount),
  minute('Sign-ins', 'address', ownLimits.signInsPerAddress),
  {
    what: 'Failed sign-ins',
    per: 'account and address',
    max: signInLimits.accountAndAddress,
    window_seconds: signInSeconds,
  },
  { what: 'Failed sign-ins', per: 'address', max: signInLimits.address, window_seconds: signInSeconds },
]

const bounds = [
  { what: 'state', max: specLimits.stateCharacters, unit: 'characters' as const },
  { what: 'nonce', max: specLimits.nonceCharacters, unit: 'characters' as const },
  { what: 'Authorization code lifetime', max: specLimits.authorizationCodeSeconds, unit: 'seconds' as const },
  { what: 'Access token lifetime', max: lifetimes.accessTokenSeconds, unit: 'seconds' as const },
  { what: 'Refresh token lifetime', max: specLimits.refreshTokenSeconds, unit: 'seconds' as const },
  { what: 'Refresh replay grace window', max: specLimits.refreshGraceSeconds, unit: 'seconds' as const },
]
