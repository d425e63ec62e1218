import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import type { SharedJob } from '../../platform/jobs.ts'
import { recordAudit } from '../audit.ts'
import { deliveriesQueuedTopic } from '../outbox.ts'
import * as deliveries from '../store/webhook-deliveries.ts'
import * as endpoints from '../store/webhook-endpoints.ts'
import { forgetTypeFailures, noteTypeFailure } from '../store/webhook-failing-types.ts'
import { openSecrets } from './endpoints.ts'
import { attempt } from './request.ts'
import {
  disabledAfterSeconds,
  failingFrom,
  judgeAttempt,
  type Outcome,
  typePauseSeconds,
  type Verdict,
} from './schedule.ts'
import { signatureHeaders } from './signature.ts'

/** Longer than the longest attempt: while it lasts nobody else takes the delivery up. */
const leaseMs = 120_000
export const places: deliveries.Memberships = {
  all: 128,
  spare: 128,
  ofOnePartner: 16,
  ofOneEndpoint: 6,
  ofOneType: 4,
  byPerson: 2,
}
/** Failures long ago say nothing about an endpoint that was sent nothing since. */
const failuresCountMs = 600_000
const keptMs = 14 * 86_400_000
const batch = 1_000
const disabledText = 'The endpoint was disabled.'

/** One round: takes what is due, attempts it, writes down what came of it. Any number of processes may do so at once. */
export async function deliverDue(context: Context): Promise<number> {
  const claimed = await claim(context, [])
  await Promise.all(claimed.map((delivery) => deliver(context, delivery)))
  return claimed.length
}

async function claim(context: Context, underWay: deliveries.ClaimedDelivery[]): Promise<deliveries.ClaimedDelivery[]> {
  const now = context.now()
  return await deliveries.claimDueDeliveries(context.sql, {
    now,
    leaseUntil: new Date(now.getTime() + leaseMs),
    places,
    failingFrom,
    failuresSince: new Date(now.getTime() - failuresCountMs),
    underWay,
  })
}

async function deliver(context: Context, delivery: deliveries.ClaimedDelivery): Promise<void> {
  const at = context.now()
  // Queued by a transaction that had not yet seen it disabled.
  if (delivery.disabled_at)
    return await deliveries.failPendingDeliveries(context.sql, delivery.endpoint_id, disabledText)
  const headers = signatureHeaders(
    { id: delivery.event_id, at, payload: delivery.payload },
    openSecrets(context, delivery, at),
  )
  const outcome = await attempt(context.outgoing, { url: delivery.url, payload: delivery.payload, headers })
  const now = context.now()
  await settle(context, delivery, outcome, judgeAttempt(outcome, delivery, now, Math.random()))
}

async function settle(
  context: Context,
  delivery: deliveries.ClaimedDelivery,
  outcome: Outcome,
  verdict: Verdict,
): Promise<void> {
  const now = context.now()
  const disabled = await transaction(context.sql, async (sql) => {
    // The endpoint's row first, always: disabling locks it before all of its deliveries.
    const { endpoint_id } = delivery
    if (verdict.kind === 'delivered')
      await endpoints.noteSuccess(sql, endpoint_id, { lock: delivery.type_failures > 0 })
    else await endpoints.noteEndpointFailure(sql, endpoint_id, now)
    await noteTypeOutcome(sql, delivery, verdict, now)
    await deliveries.settleDelivery(sql, {
      endpoint_id: delivery.endpoint_id,
      event_id: delivery.event_id,
      attempts: delivery.attempts,
      state: verdict.kind === 'delivered' ? 'delivered' : verdict.kind === 'retry' ? 'pending' : 'failed',
      next_attempt_at: verdict.kind === 'retry' ? verdict.at : null,
      response_status: outcome.status,
      failure: outcome.failure,
      duration_ms: outcome.duration_ms,
    })
    return verdict.kind === 'gone' || verdict.kind === 'disable' ? disable(sql, delivery, verdict.kind, now) : false
  })
  if (disabled) tell(context, delivery, outcome)
}

async function noteTypeOutcome(
  sql: Sql,
  { endpoint_id, type, type_failures, by_person }: deliveries.ClaimedDelivery,
  verdict: Verdict,
  now: Date,
): Promise<void> {
  if (verdict.kind === 'delivered') {
    if (type_failures > 0) await forgetTypeFailures(sql, endpoint_id, type)
    return
  }
  // A person who tries again and again does not make the others wait longer.
  if (by_person) return
  const failures = type_failures + 1
  const paused_until = new Date(now.getTime() + typePauseSeconds(failures) * 1000)
  await noteTypeFailure(sql, { endpoint_id, type, failures, paused_until })
}

async function disable(
  sql: Sql,
  delivery: deliveries.ClaimedDelivery,
  kind: 'gone' | 'disable',
  now: Date,
): Promise<boolean> {
  const because = kind === 'gone' ? 'gone' : 'failing'
  const failingBefore = kind === 'gone' ? null : new Date(now.getTime() - disabledAfterSeconds * 1000)
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

function tell(context: Context, delivery: deliveries.ClaimedDelivery, outcome: Outcome): void {
  context.failures.note({
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
    name: 'forget webhook deliveries',
    everySeconds: 600,
    async runShared() {
      const age = { now: now(), milliseconds: keptMs }
      while ((await deliveries.deleteOldDeliveries(sql, age, batch)) === batch);
    },
  }
}

export interface Running {
  /** Lets what is under way come to its end. */
  stop(): Promise<void>
}

/** Delivers until stopped. What is slow takes up its own few places, never those of the others. */
export function startDeliveries(context: Context, { pollMs = 1_000 } = {}): Running {
  const underWay = new Map<deliveries.ClaimedDelivery, Promise<void>>()
  let stopped = false
  let wake = () => {}

  async function round(): Promise<boolean> {
    const claimed = await claim(context, [...underWay.keys()])
    for (const delivery of claimed) begin(delivery)
    return claimed.length > 0
  }

  function begin(delivery: deliveries.ClaimedDelivery): void {
    const work = deliver(context, delivery)
      .catch((error) => context.log.error({ err: error }, 'webhook delivery not settled'))
      .finally(() => {
        underWay.delete(delivery)
        // Its next ones may go now.
        wake()
      })
    underWay.set(delivery, work)
  }

  async function loop(): Promise<void> {
    while (!stopped) {
      // Begun before the round: a place that falls free meanwhile ends it too.
      const over = pause()
      try {
        if (await round()) wake()
      } catch (error) {
        context.log.warn({ err: error }, 'webhook round failed')
      }
      await over
    }
    await Promise.all(underWay.values())
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pollMs)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  const subscription = context.notifications.subscribe(deliveriesQueuedTopic, () => wake())
  const running = loop()
  return {
    async stop() {
      stopped = true
      void subscription.then((unsubscribe) => unsubscribe())
      wake()
      await running
    },
  }
}
