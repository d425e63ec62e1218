import { randomBytes } from 'node:crypto'
import { type Actor, type NewAuditEvent, recordAudit } from '../../events/audit.ts'
import { isUniqueViolation, transaction } from '../../platform/database/database.ts'
import type { SharedJob } from '../../platform/jobs.ts'
import { lifetimes, ownLimits } from '../../platform/own-limits.ts'
import { conflict, found, invalid, Refusal } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import * as store from '../store/domains-sql.ts'
import { lockPartner } from '../store/partners-sql.ts'
import { challengeLabel, readDomain } from './domain-names.ts'

const dayMilliseconds = 86_400_000
const { missingRecordMilliseconds, unprovenRecordMilliseconds } = lifetimes

export interface DomainResponse {
  domain: string | null
  record_name: string | null
  record_value: string | null
  verified_at: Date | null
  checked_at: Date | null
  result: store.CheckResult | null
  /** When the verification ends unless the record is found before. */
  ends_at: Date | null
}

export async function getDomain({ sql }: Context, partnerId: string): Promise<DomainResponse> {
  return toResponse(await store.findDomain(sql, partnerId))
}

/** Another domain is not verified, and the one before no longer is: people see one domain or none. */
export async function enterDomain(
  context: Context,
  actor: Actor,
  partnerId: string,
  sent: string,
): Promise<DomainResponse> {
  const read = readDomain(sent)
  if ('problem' in read) throw invalid({ field: 'domain', message: read.problem })
  const { domain } = read
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    await lockPartner(sql, partnerId)
    const before = await store.lockDomain(sql, partnerId)
    if (before?.domain === domain) return toResponse(before)
    await store.replaceDomain(sql, { partner_id: partnerId, domain, token: randomBytes(24).toString('base64url'), at })
    const details = { domain, previous: before?.domain ?? null }
    await recordAudit(sql, { type: 'partner_domain.entered', at, actor, partner_id: partnerId, details })
    return toResponse(await store.findDomain(sql, partnerId))
  })
}

export async function removeDomain(context: Context, actor: Actor, partnerId: string): Promise<void> {
  await transaction(context.sql, async (sql) => {
    const { domain } = found(await store.deleteDomain(sql, partnerId), 'domain')
    const at = context.now()
    await recordAudit(sql, { type: 'partner_domain.removed', at, actor, partner_id: partnerId, details: { domain } })
  })
}

/** On the partner's request. */
export async function checkDomain(context: Context, actor: Actor, partnerId: string): Promise<DomainResponse> {
  const row = found(await store.findDomain(context.sql, partnerId), 'domain')
  if (!(await context.limits.take(`domain check ${partnerId}`, ownLimits.domainChecksPerPartner))) {
    const sentence = 'Too many checks. DNS needs time to publish a record: try again in a minute.'
    throw new Refusal(429, 'too_many_attempts', sentence, { retryAfter: 60 })
  }
  await look(context, actor, row)
  return toResponse(found(await store.findDomain(context.sql, partnerId), 'domain'))
}

/** The look-up is outside the transaction: no connection waits for a name server. */
async function look(context: Context, actor: Actor, { partner_id, domain, token }: store.PartnerDomain): Promise<void> {
  const records = await context.lookUpText(`${challengeLabel}.${domain}`)
  const result = Array.isArray(records) ? (records.includes(recordValue(token)) ? 'found' : 'missing') : records
  const at = context.now()
  try {
    await transaction(context.sql, async (sql) => {
      const row = await store.lockDomain(sql, partner_id)
      // Another one was entered meanwhile: this result is not about it.
      if (row?.token !== token) return
      const checked = judgeCheck(row, result, at)
      await store.updateChecked(sql, partner_id, checked)
      const event = eventOf(row, checked)
      if (event) await recordAudit(sql, { ...event, at, actor, partner_id })
    })
  } catch (error) {
    if (isUniqueViolation(error, 'partner_domains_verified')) throw takenBy(domain)
    throw error
  }
}

function takenBy(domain: string): Refusal {
  return conflict('domain_taken', `Another partner has verified ${domain}. Ask the operator if it is yours.`)
}

type Judged = Pick<store.PartnerDomain, 'verified_at' | 'found_at' | 'missing_since'>

/** What a check means: a missing record ends the verification after seven days, DNS without an answer after thirty. */
export function judgeCheck(before: Judged, result: store.CheckResult, at: Date): store.CheckedDomain {
  const next = { checked_at: at, result, check_at: new Date(at.getTime() + dayMilliseconds) }
  if (result === 'found') {
    return { ...next, verified_at: before.verified_at ?? at, found_at: at, missing_since: null }
  }
  const missing_since = before.missing_since ?? (result === 'missing' ? at : null)
  const [last, allowed] =
    result === 'missing' ? [missing_since, missingRecordMilliseconds] : [before.found_at, unprovenRecordMilliseconds]
  const isLost = last !== null && at.getTime() - last.getTime() >= allowed
  return { ...next, found_at: before.found_at, missing_since, verified_at: isLost ? null : before.verified_at }
}

/** Null while the record was there at the last check, or while there is no verification. */
function endOf({ verified_at, found_at, missing_since }: Judged): Date | null {
  if (!verified_at || !found_at) return null
  return missing_since
    ? new Date(missing_since.getTime() + missingRecordMilliseconds)
    : new Date(found_at.getTime() + unprovenRecordMilliseconds)
}

function eventOf(
  before: store.PartnerDomain,
  { verified_at, result }: store.CheckedDomain,
): Pick<NewAuditEvent & { type: 'partner_domain.verified' | 'partner_domain.lost' }, 'type' | 'details'> | null {
  const { domain } = before
  if (!before.verified_at && verified_at) return { type: 'partner_domain.verified', details: { domain } }
  if (before.verified_at && !verified_at) return { type: 'partner_domain.lost', details: { domain, because: result } }
  return null
}

function recordValue(token: string): string {
  return `landbridge-verification=${token}`
}

function toResponse(row: store.PartnerDomain | undefined): DomainResponse {
  if (!row) {
    const nothing = { record_name: null, record_value: null, verified_at: null, checked_at: null, result: null }
    return { domain: null, ...nothing, ends_at: null }
  }
  const { domain, token, verified_at, checked_at, result } = row
  const record = { record_name: `${challengeLabel}.${domain}`, record_value: recordValue(token) }
  const ends_at = result === 'found' ? null : endOf(row)
  return { domain, ...record, verified_at, checked_at, result, ends_at }
}

const batch = 50
/** Longer than a batch takes: then others may take it, should this process die. */
const leaseMilliseconds = 600_000

/** Verified domains are looked up every day. One batch per run, so that a stop never waits for many look-ups. */
export function checkDomainsJob(context: Context): SharedJob {
  return {
    name: 'verified domains of partners',
    everySeconds: 300,
    async runShared() {
      const now = context.now()
      const until = new Date(now.getTime() + leaseMilliseconds)
      const due = await store.takeDueDomains(context.sql, { now, until }, batch)
      await Promise.all(due.map((row) => look(context, { kind: 'system' }, row)))
    },
  }
}
