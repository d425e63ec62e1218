import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import type { SharedJob } from '../../platform/jobs.ts'
import { deliverySlots, storedFor, webhookLimits } from '../../platform/own-limits.ts'
import { recordAudit } from '../audit.ts'
import type { Context } from '../context.ts'
import { claimAgainMs } from '../delivery-loop.ts'
import { type ClaimedDelivery, claimDueDeliveries } from '../store/webhook-claims.ts'
import * as deliveries from '../store/webhook-deliveries.ts'
import * as endpoints from '../store/webhook-endpoints.ts'
import { allPartitions } from '../webhook-partition.ts'
import { openSecrets } from './endpoints.ts'
import { attempt } from './request.ts'
import { failingFrom, judgeAttempt, type Outcome, typePauseSeconds, type Verdict } from './schedule.ts'
import { signatureHeaders } from './signature.ts'

/** Longer than the longest attempt, so that no other process claims the delivery meanwhile; after a kill, events wait as long. */
const leaseMs = 45_000
/** Failures longer ago say nothing about an endpoint that was sent nothing since. */
const failuresCountMs = 600_000
const batch = 1_000
const disabledText = 'The endpoint was disabled.'

/** One round: claims what is due, attempts it and stores the outcomes. Any number of processes may do so at once. */
export async function deliverDue(context: Context): Promise<number> {
  const all: Promise<unknown>[] = []
  for (let wanted = allPartitions; wanted.length > 0; await sleep(claimAgainMs)) {
    const { claimed, others } = await claim(context, [], wanted)
    all.push(...claimed.map((delivery) => deliver(context, delivery)))
    if (others.length === 0) break
    wanted = others
  }
  await Promise.all(all)
  return all.length
}

/** Of these partitions, except those that another process is claiming at this moment. */
export async function claim(context: Context, inProgress: ClaimedDelivery[], partitions: readonly number[]) {
  const now = context.now()
  return await claimDueDeliveries(context.sql, partitions, {
    now,
    leaseUntil: new Date(now.getTime() + leaseMs),
    slots: deliverySlots,
    failingFrom,
    failuresSince: new Date(now.getTime() - failuresCountMs),
    inProgress,
  })
}

/** Returns what became of it. */
export async function deliver(context: Context, delivery: ClaimedDelivery): Promise<Verdict['kind']> {
  const at = context.now()
  // Queued by a transaction that began before the endpoint was disabled.
  if (delivery.disabled_at) {
    await deliveries.failPendingDeliveries(context.sql, delivery.endpoint_id, disabledText)
    return 'give_up'
  }
  const headers = signatureHeaders(
    { id: delivery.event_id, at, payload: delivery.payload },
    openSecrets(context, delivery, at),
  )
  const span = startSpan(context, delivery)
  if (span) headers.traceparent = span.traceparent
  const outcome = await attempt(context.outgoing, { url: delivery.url, payload: delivery.payload, headers })
  span?.end(outcome.status === null ? {} : { 'http.response.status_code': outcome.status }, {
    failed: outcome.failure !== null,
  })
  const now = context.now()
  const verdict = judgeAttempt(outcome, delivery, now, Math.random())
  await settle(context, delivery, outcome, verdict)
  return verdict.kind
}

/** A span of the trace that queued the event, or of its own. */
function startSpan({ tracing }: Context, { type, event_id, endpoint_id, attempts, traceparent }: ClaimedDelivery) {
  return tracing?.start({
    name: `webhook ${type}`,
    kind: 'client',
    parent: traceparent,
    attributes: {
      'http.request.method': 'POST',
      'landbridge.event_id': event_id,
      'landbridge.webhook_id': endpoint_id,
      'landbridge.attempt': attempts,
    },
  })
}

async function settle(context: Context, delivery: ClaimedDelivery, outcome: Outcome, verdict: Verdict): Promise<void> {
  const now = context.now()
  context.countAttempt(verdict.kind)
  const settlement: deliveries.Settlement = {
    endpoint_id: delivery.endpoint_id,
    event_id: delivery.event_id,
    attempts: delivery.attempts,
    state: verdict.kind === 'delivered' ? 'delivered' : verdict.kind === 'retry' ? 'pending' : 'failed',
    next_attempt_at: verdict.kind === 'retry' ? verdict.at : null,
    response_status: outcome.status,
    failure: outcome.failure,
    duration_ms: outcome.duration_ms,
  }
  if (verdict.kind === 'delivered' && delivery.type_failures === 0) {
    return await deliveries.settleSuccess(context.sql, settlement)
  }
  const disabled = await transaction(context.sql, async (sql) => {
    // Always the endpoint's row first: disabling locks it before its deliveries.
    const { endpoint_id } = delivery
    if (verdict.kind === 'delivered') await endpoints.recordSuccess(sql, endpoint_id)
    else await endpoints.recordFailure(sql, endpoint_id, now)
    await recordTypeOutcome(sql, delivery, verdict, now)
    await deliveries.settleDelivery(sql, settlement)
    return verdict.kind === 'gone' || verdict.kind === 'disable' ? disable(sql, delivery, verdict.kind, now) : false
  })
  if (disabled) reportDisabled(context, delivery, outcome)
}

async function recordTypeOutcome(
  sql: Sql,
  { endpoint_id, type, type_failures, by_person }: ClaimedDelivery,
  verdict: Verdict,
  now: Date,
): Promise<void> {
  if (verdict.kind === 'delivered') {
    if (type_failures > 0) await endpoints.deleteTypeFailures(sql, endpoint_id, type)
    return
  }
  // A person who retries often does not make the other deliveries wait longer.
  if (by_person) return
  const failures = type_failures + 1
  const paused_until = new Date(now.getTime() + typePauseSeconds(failures) * 1000)
  await endpoints.saveTypeFailure(sql, { endpoint_id, type, failures, paused_until })
}

async function disable(sql: Sql, delivery: ClaimedDelivery, kind: 'gone' | 'disable', now: Date): Promise<boolean> {
  const because = kind === 'gone' ? 'gone' : 'failing'
  const failingBefore = kind === 'gone' ? null : new Date(now.getTime() - webhookLimits.disabledAfterSeconds * 1000)
  if (!(await endpoints.disableEndpoint(sql, delivery.endpoint_id, because, now, failingBefore))) return false
  await deliveries.failPendingDeliveries(sql, delivery.endpoint_id, disabledText)
  await recordAudit(sql, {
    type: 'webhook.disabled',
    at: now,
    actor: { kind: 'system' },
    partner_id: delivery.partner_id,
    details: { webhook_id: delivery.endpoint_id, because },
  })
  return true
}

function reportDisabled(context: Context, delivery: ClaimedDelivery, outcome: Outcome): void {
  context.integrationLog.record({
    request_id: randomUUID(),
    endpoint: 'webhook',
    status: outcome.status ?? 0,
    error: 'webhook_disabled',
    description: outcome.failure ?? undefined,
    reason: outcome.status === 410 ? 'webhook_gone' : 'webhook_disabled',
    partner_id: delivery.partner_id,
  })
}

export function deleteOldDeliveriesJob({ sql, now }: Context): SharedJob {
  return {
    name: 'old webhook deliveries',
    everySeconds: 600,
    async runShared() {
      const age = { now: now(), milliseconds: storedFor.webhookDeliveryMilliseconds }
      while ((await deliveries.deleteOldDeliveries(sql, age, batch)) === batch);
    },
  }
}
