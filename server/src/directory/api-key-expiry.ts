import { recordAudit } from '../events/audit.ts'
import type { Context } from '../events/context.ts'
import { queueEvent } from '../events/outbox.ts'
import { transaction } from '../platform/database/database.ts'
import type { SharedJob } from '../platform/jobs.ts'
import { lifetimes } from '../platform/own-limits.ts'
import { invalid } from '../platform/refusal.ts'
import type { OrganizationHome } from './accounts/mails/home.ts'
import { apiKeyExpiringMail } from './accounts/mails/organization-mails.ts'
import { mailManagers } from './accounts/recipients.ts'
import * as store from './store/api-keys-sql.ts'
import type { Recipient } from './store/mail-recipients-sql.ts'

const { apiKeyMilliseconds, apiKeyExpiryAnnouncedMilliseconds, expiredApiKeyMilliseconds } = lifetimes
const dayMilliseconds = 86_400_000

export interface Expiry {
  expires_at: Date | null
  /** For the key of a rotation, which lives as long. */
  lifetime_seconds: number | null
}

/** Null: never. */
export function readExpiry(expires_at: Date | null, at: Date): Expiry {
  if (expires_at === null) return { expires_at, lifetime_seconds: null }
  const milliseconds = expires_at.getTime() - at.getTime()
  if (milliseconds <= 0) throw invalid({ field: 'expires_at', message: 'must be in the future' })
  if (milliseconds > apiKeyMilliseconds) {
    const days = (apiKeyMilliseconds / dayMilliseconds).toLocaleString('en')
    const message = `must be at most ${days} days ahead, or null for a key that does not expire`
    throw invalid({ field: 'expires_at', message })
  }
  return { expires_at, lifetime_seconds: Math.ceil(milliseconds / 1000) }
}

/** A rotation gives the next key as long a life as somebody gave this one. */
export function nextExpiry({ lifetime_seconds }: Pick<Expiry, 'lifetime_seconds'>, at: Date): Expiry {
  const expires_at = lifetime_seconds === null ? null : new Date(at.getTime() + lifetime_seconds * 1000)
  return { expires_at, lifetime_seconds }
}

export function isExpired({ expires_at }: Pick<Expiry, 'expires_at'>, at: Date): boolean {
  return expires_at !== null && expires_at <= at
}

/** A key that expired before this is no longer listed. */
export function listedSince(at: Date): Date {
  return new Date(at.getTime() - expiredApiKeyMilliseconds)
}

export function soonFrom(at: Date): Date {
  return new Date(at.getTime() + apiKeyExpiryAnnouncedMilliseconds)
}

const batch = 200

/** Says once of each key that it will expire: in its owner's audit log, to a partner's webhooks, and by mail. */
export function announceExpiringKeysJob(context: Context): SharedJob {
  return {
    name: 'expiring API keys',
    everySeconds: 600,
    async runShared() {
      while ((await announce(context, context.now())) === batch);
    },
  }
}

async function announce(context: Context, at: Date): Promise<number> {
  return await transaction(context.sql, async (sql) => {
    const keys = await store.markExpiringKeys(sql, { at, until: soonFrom(at) }, batch)
    const events = keys.map(({ id, name, hint, expires_at, customer_id, partner_id }) => ({
      type: 'api_key.expiring' as const,
      at,
      actor: { kind: 'system' as const },
      customer_id: customer_id ?? undefined,
      partner_id: partner_id ?? undefined,
      details: { api_key_id: id, name, hint, expires_at: expires_at.toISOString() },
    }))
    await recordAudit(sql, ...events)
    const published = events.flatMap(({ type, partner_id, details }) =>
      partner_id === undefined ? [] : [{ type, at, partner_id, data: details }],
    )
    await queueEvent(sql, ...published)
    const messages = keys.map((key) => ({
      target_id: (key.customer_id ?? key.partner_id)!,
      write: (to: Recipient, organization: OrganizationHome) => apiKeyExpiringMail(to, key, organization),
    }))
    await mailManagers(context, sql, 'api_keys', messages)
    return keys.length
  })
}
