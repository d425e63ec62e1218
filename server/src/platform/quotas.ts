import type { Sql } from './database/sql.ts'
import { type Tenant, upsertReached } from './limits-reached.ts'
import type { QuotaName, RateName } from './own-limits.ts'
import { nearShare } from './rates.ts'
import { Refusal } from './refusal.ts'

/** What a quota counts, in the words of its refusal. */
export const quotaWords: Record<QuotaName, { label: string; of: string; things: string; remedy: string }> = {
  groups: { label: 'Groups', of: 'An organization', things: 'groups', remedy: 'Delete one first' },
  spaces: { label: 'Spaces', of: 'An organization', things: 'spaces', remedy: 'Delete some first' },
  levels: {
    label: 'Levels of spaces',
    of: 'An organization',
    things: 'levels of spaces',
    remedy: 'Put the space higher up',
  },
  users: {
    label: 'Members and pending invitations',
    of: 'An organization',
    things: 'members and pending invitations',
    remedy: 'Remove a member or withdraw an invitation first',
  },
  views: { label: 'Saved views', of: 'An organization', things: 'saved views', remedy: 'Delete one first' },
  setting_templates: {
    label: 'Templates of settings',
    of: 'An organization',
    things: 'templates of settings',
    remedy: 'Delete one first',
  },
  api_keys: { label: 'API keys', of: 'An organization or a partner', things: 'API keys', remedy: 'Revoke one first' },
  models: { label: 'Models', of: 'A partner', things: 'models', remedy: 'Use one model for a family of products' },
  applications: {
    label: 'Applications',
    of: 'A partner',
    things: 'applications',
    remedy: 'Change one that is no longer used',
  },
  application_requests: {
    label: 'Requests for applications',
    of: 'A partner',
    things: 'requests for applications, refused ones included',
    remedy: 'Withdraw one first',
  },
  webhooks: { label: 'Webhooks', of: 'A partner', things: 'webhooks', remedy: 'Delete one first' },
  members: {
    label: 'Members and pending invitations',
    of: 'A partner',
    things: 'members and pending invitations',
    remedy: 'Remove a member or withdraw an invitation first',
  },
  hardware_keys: {
    label: 'Hardware keys of a model',
    of: 'A model',
    things: 'hardware keys, revoked ones included',
    remedy: 'Create another model',
  },
}

/** What a rate counts, for people. */
export const rateWords: Record<RateName, string> = {
  organization: 'Calls of the organization in all',
  partner: 'Calls of the partner in all',
  credential: 'Calls of one application, API key or person',
}

export function quotaCode(quota: QuotaName): `too_many_${QuotaName}` {
  return `too_many_${quota}`
}

/** Decision 10.24: 409, since it passes once something else is deleted. */
export class QuotaReached extends Refusal {
  readonly quota: QuotaName
  readonly tenant: Tenant
  readonly used: number
  readonly max: number

  constructor(quota: QuotaName, { tenant, used, max }: { tenant: Tenant; used: number; max: number }) {
    const { of, things, remedy } = quotaWords[quota]
    const most = max.toLocaleString('en')
    super(409, quotaCode(quota), `${of} has at most ${most} ${things}. ${remedy}, or ask the operator for more.`)
    this.quota = quota
    this.tenant = tenant
    this.used = used
    this.max = max
  }
}

interface QuotaContext {
  config: { quotas: Record<QuotaName, number> }
  now: () => Date
}

export interface Room {
  tenant: Tenant
  /** What is counted by, where it is a part of the tenant. */
  within?: string
  adding?: number
  /** How many there are. */
  count(): Promise<number>
}

/**
 * Throws if the quota has no room, in the transaction that is going to add something. Until that ends nobody else adds
 * one, so that two at once cannot pass the quota together.
 */
export async function requireRoom(
  { config, now }: QuotaContext,
  sql: Sql,
  quota: QuotaName,
  { tenant, within, adding = 1, count }: Room,
): Promise<void> {
  const max = config.quotas[quota]
  const id = within ?? Object.values(tenant)[0]
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${quota} ${id}`}, 0))`
  const used = await count()
  if (used + adding > max) throw new QuotaReached(quota, { tenant, used, max })
  if (used + adding < max * nearShare) return
  await upsertReached(sql, [{ tenant, name: quota, used: used + adding, max, refused: false }], now())
}
