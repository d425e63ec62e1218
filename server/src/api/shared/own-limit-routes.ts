import { type Static, Type } from 'typebox'
import { countDeviceThings } from '../../devices/registry/device-quota-use.ts'
import { countDirectoryThings } from '../../directory/directory-quota-use.ts'
import { countWebhooks } from '../../events/webhooks/endpoints.ts'
import type { App } from '../../platform/http/app.ts'
import { Instant, Nullable } from '../../platform/http/schemas.ts'
import { windowMilliseconds } from '../../platform/limits.ts'
import { listReachedOf, type ReachedRow, type Tenant } from '../../platform/limits-reached.ts'
import type { QuotaName, RateName } from '../../platform/own-limits.ts'
import { quotaWords, rateWords } from '../../platform/quotas.ts'
import type { Context } from '../context.ts'
import { type Calling, credentialRateKey, sharedRateKey, sharedRateOf } from './call-rates.ts'
import type { Callers } from './caller.ts'
import { reading } from './reads.ts'
import { tagged } from './route-schemas.ts'

const UsedRate = Type.Object(
  {
    name: Type.String({ description: 'As in the `RateLimit` header.' }),
    what: Type.String(),
    used: Type.Integer({
      description: 'Calls in the current window, to a hundredth of `max`; for `credential` your own.',
    }),
    max: Type.Integer(),
    window_seconds: Type.Integer(),
    refused_at: Nullable(Instant),
  },
  { title: 'UsedRate', description: 'A limit of calls per time, and how many there were.' },
)
const UsedQuota = Type.Object(
  {
    name: Type.String({ description: 'As in the code of its refusal, `too_many_…`.' }),
    what: Type.String(),
    used: Nullable(Type.Integer({ description: 'Null where it is not counted for the whole tenant.' })),
    max: Type.Integer(),
    refused_at: Nullable(Instant),
  },
  { title: 'UsedQuota', description: 'How many of a thing there are and may be.' },
)
const OwnLimits = Type.Object(
  { rates: Type.Array(UsedRate), quotas: Type.Array(UsedQuota) },
  { title: 'OwnLimits', description: 'The rates and quotas of the caller’s tenant, and how much of them is used.' },
)

const quotasOf: Record<'organization' | 'partner', QuotaName[]> = {
  organization: ['users', 'groups', 'spaces', 'levels', 'views', 'setting_templates', 'api_keys'],
  partner: ['applications', 'application_requests', 'models', 'hardware_keys', 'webhooks', 'members', 'api_keys'],
}

/** The numbers that this process enforces, and how much of them is used. */
export function ownLimitRoutes(app: App, context: Context, callers: Callers): void {
  app.get(
    '/limits',
    tagged(`${callers.api}: limits`)({
      permission: 'audit: read',
      reads: 'growing',
      summary: 'Get your rates and quotas, and how much of them is used',
      description: 'The operator sets them. `refused_at` says when a call was last refused because of one, in 30 days.',
      response: { 200: OwnLimits },
    }),
    async (request) => {
      // Its counts are those of all spaces.
      const tenant = callers.wholeOf(request)
      const calling = { tenant, actor: callers.actorOf(request) }
      return await readLimits(reading(context, tenant, request), calling)
    },
  )
}

async function readLimits(context: Context, calling: Calling): Promise<Static<typeof OwnLimits>> {
  const { tenant } = calling
  const { config, limits, sql } = context
  const [reached, counts, shared, own] = await Promise.all([
    listReachedOf(sql, tenant),
    countThings(context, tenant),
    limits.countOf(sharedRateKey(tenant)),
    limits.countOf(credentialRateKey(calling)),
  ])
  const refusedAt = (name: ReachedRow['name']) => reached.find((row) => row.name === name)?.refused_at ?? null
  const rate = (name: RateName, count: number) => ({
    name,
    what: rateWords[name],
    used: Math.min(count, config.rates[name]),
    max: config.rates[name],
    window_seconds: windowMilliseconds / 1000,
    refused_at: refusedAt(name),
  })
  const quotas = quotasOf['customer_id' in tenant ? 'organization' : 'partner'].map((name) => ({
    name,
    what: quotaWords[name].label,
    used: counts[name] ?? null,
    max: config.quotas[name],
    refused_at: refusedAt(name),
  }))
  return { rates: [rate(sharedRateOf(tenant), shared), rate('credential', own)], quotas }
}

async function countThings(context: Context, tenant: Tenant): Promise<Partial<Record<QuotaName, number>>> {
  const counts = await Promise.all([
    countDirectoryThings(context, tenant),
    countDeviceThings(context, tenant),
    'partner_id' in tenant ? countWebhooks(context, tenant.partner_id) : {},
  ])
  return Object.assign({}, ...counts)
}
