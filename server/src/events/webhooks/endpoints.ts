import { transaction } from '../../platform/database/database.ts'
import { type Sql, wakeAfterCommit } from '../../platform/database/sql.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { newestFirst, type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { lifetimes, ownLimits } from '../../platform/own-limits.ts'
import { requireRoom } from '../../platform/quotas.ts'
import { conflict, invalid, notFound, Refusal } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { type Actor, recordAudit } from '../audit.ts'
import type { Context } from '../context.ts'
import * as deliveries from '../store/webhook-deliveries.ts'
import * as store from '../store/webhook-endpoints.ts'
import { deliveriesQueuedTopic, partitionOf } from '../webhook-partition.ts'
import { describeNextAttempt, type WaitReason } from './schedule.ts'
import { mintWebhookSecret } from './signature.ts'

const sealedAs = 'webhook_secret'
/** Deliveries that people asked for go first, up to this many per endpoint; more queue with the rest. */
const maxByPerson = 10

export interface Webhook extends Omit<store.WebhookEndpoint, 'previous_expires_at' | 'disabled_at'> {
  enabled: boolean
  disabled_at: Date | null
  /** Until when the previous secret signs as well. */
  previous_secret_expires_at: Date | null
}

export interface DeliveryResponse extends Omit<deliveries.Delivery, 'attempting' | 'by_person' | 'paused_until'> {
  next_attempt_reason: WaitReason | null
}

export interface NewWebhook {
  url: string
  description?: string | null
  events: string[]
}

export async function createWebhook(
  context: Context,
  actor: Actor,
  partnerId: string,
  input: NewWebhook,
): Promise<Webhook & { secret: string }> {
  requireAllowedUrl(context, input.url)
  const secret = mintWebhookSecret()
  const endpoint = {
    id: newId(),
    partner_id: partnerId,
    url: input.url,
    description: input.description ?? null,
    events: [...new Set(input.events)],
    secret: context.masterKey.seal(sealedAs, secret),
    created_at: context.now(),
  }
  const created = await transaction(context.sql, async (sql) => {
    const count = () => store.countEndpoints(sql, partnerId)
    await requireRoom(context, sql, 'webhooks', { tenant: { partner_id: partnerId }, count })
    const row = await store.insertEndpoint(sql, endpoint)
    await audit(context, sql, 'webhook.created', actor, partnerId, endpoint.id)
    return row
  })
  return { ...toWebhook(created, context.now()), secret }
}

/** How many there are of what has a quota. */
export async function countWebhooks({ sql }: Context, partnerId: string): Promise<{ webhooks: number }> {
  return { webhooks: await store.countEndpoints(sql, partnerId) }
}

export async function listWebhooks(context: Context, partnerId: string, request: PageRequest): Promise<Page<Webhook>> {
  const range = pageRange(request)
  const page = toPage(await store.listEndpoints(context.sql, partnerId, range), range, ({ id }) => id)
  return { ...page, items: page.items.map((endpoint) => toWebhook(endpoint, context.now())) }
}

export async function getWebhook(context: Context, partnerId: string, id: string): Promise<Webhook> {
  const endpoint = await store.findEndpoint(context.sql, partnerId, id)
  if (!endpoint) throw notFound('webhook')
  return toWebhook(endpoint, context.now())
}

export async function changeWebhook(
  context: Context,
  actor: Actor,
  { partnerId, id, ifMatch }: { partnerId: string; id: string; ifMatch?: string | undefined },
  change: store.EndpointChange,
): Promise<Webhook> {
  return await transaction(context.sql, async (sql) => {
    const before = await store.lockEndpoint(sql, partnerId, id)
    if (!before) throw notFound('webhook')
    requireMatch(ifMatch, settingsOf(toWebhook(before, context.now())))
    if (change.url !== undefined) requireAllowedUrl(context, change.url)
    const endpoint = await store.updateEndpoint(sql, id, change, context.now())
    // Earlier failures say nothing about a new address or a new start.
    if (change.enabled || (change.url !== undefined && change.url !== before.url)) {
      await store.deleteAllTypeFailures(sql, id)
      wakeAfterCommit(sql, deliveriesQueuedTopic(partitionOf(id)))
    }
    if (change.enabled === false) await deliveries.failPendingDeliveries(sql, id, 'The endpoint was disabled.')
    await audit(context, sql, 'webhook.changed', actor, partnerId, id, { fields: Object.keys(change) })
    return toWebhook(endpoint, context.now())
  })
}

export async function deleteWebhook(context: Context, actor: Actor, partnerId: string, id: string): Promise<void> {
  await transaction(context.sql, async (sql) => {
    if (!(await store.deleteEndpoint(sql, partnerId, id))) throw notFound('webhook')
    await audit(context, sql, 'webhook.deleted', actor, partnerId, id)
  })
}

export async function rotateWebhookSecret(
  context: Context,
  actor: Actor,
  partnerId: string,
  id: string,
  overlapSeconds: number = lifetimes.previousSecretSeconds,
): Promise<{ secret: string; previous_secret_expires_at: Date | null }> {
  const secret = mintWebhookSecret()
  const ends = overlapSeconds > 0 ? new Date(context.now().getTime() + overlapSeconds * 1000) : null
  await transaction(context.sql, async (sql) => {
    const sealed = context.masterKey.seal(sealedAs, secret)
    if (!(await store.rotateSecret(sql, partnerId, id, sealed, ends))) throw notFound('webhook')
    await audit(context, sql, 'webhook.secret_rotated', actor, partnerId, id)
  })
  return { secret, previous_secret_expires_at: ends }
}

/** Sent like every other event, with signature and delivery log, so that a partner can test all of it. */
export async function sendTestEvent(context: Context, partnerId: string, id: string): Promise<DeliveryResponse> {
  if (!(await context.limits.take(`webhook test ${partnerId} ${id}`, ownLimits.testEventsPerWebhook))) {
    const sentence = 'Too many test events were sent to this webhook. Try again in a minute.'
    throw new Refusal(429, 'too_many_requests', sentence, { retryAfter: 60 })
  }
  return await withEnabledEndpoint(context, partnerId, id, async (sql) => {
    const at = context.now()
    const type = 'webhook.test'
    const data = { message: 'It works.' }
    const event = { endpoint_id: id, event_id: newId(), type, queued_at: at, next_attempt_at: at }
    const payload = JSON.stringify({ type, timestamp: at.toISOString(), data })
    await deliveries.insertDelivery(sql, { ...event, payload, by_person: await goesFirst(sql, id) })
    wakeAfterCommit(sql, deliveriesQueuedTopic(partitionOf(id)))
    return toDeliveryResponse((await deliveries.findDelivery(sql, id, event.event_id))!, at)
  })
}

export async function listWebhookDeliveries(
  context: Context,
  partnerId: string,
  id: string,
  { state, ...request }: PageRequest & { state?: deliveries.Delivery['state'] },
): Promise<Page<DeliveryResponse>> {
  await getWebhook(context, partnerId, id)
  const range = newestFirst(request)
  const rows = await deliveries.listDeliveries(context.sql, id, state, range)
  const now = context.now()
  return toPage(
    rows.map((row) => toDeliveryResponse(row, now)),
    range,
    ({ event_id }) => event_id,
  )
}

export async function redeliver(
  context: Context,
  partnerId: string,
  id: string,
  eventId: string,
): Promise<DeliveryResponse> {
  return await withEnabledEndpoint(context, partnerId, id, async (sql) => {
    const at = context.now()
    const queued = await deliveries.requeueDelivery(sql, id, eventId, { at, byPerson: await goesFirst(sql, id) })
    wakeAfterCommit(sql, deliveriesQueuedTopic(partitionOf(id)))
    const delivery = await deliveries.findDelivery(sql, id, eventId)
    if (!delivery) throw notFound('delivery')
    if (!queued) throw conflict('delivery_under_way', 'This event is being delivered right now.')
    return toDeliveryResponse(delivery, at)
  })
}

async function goesFirst(sql: Sql, id: string): Promise<boolean> {
  return (await deliveries.countByPerson(sql, partitionOf(id), id)) < maxByPerson
}

function toDeliveryResponse(
  { attempting, by_person, paused_until, ...delivery }: deliveries.Delivery,
  now: Date,
): DeliveryResponse {
  return { ...delivery, ...describeNextAttempt({ ...delivery, attempting, by_person, paused_until }, now) }
}

/** Locked, so that the endpoint is neither deleted nor disabled before the delivery is queued. */
async function withEnabledEndpoint<T>(
  context: Context,
  partnerId: string,
  id: string,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  return await transaction(context.sql, async (sql) => {
    const endpoint = await store.lockEndpoint(sql, partnerId, id)
    if (!endpoint) throw notFound('webhook')
    if (endpoint.disabled_at) throw conflict('webhook_disabled', 'The webhook is disabled. Enable it first.')
    return await work(sql)
  })
}

/** The secrets that sign an attempt at `at`: the current one, and the previous one until it expires. */
export function openSecrets(
  context: Context,
  endpoint: { secret: Buffer; previous_secret: Buffer | null; previous_expires_at: Date | null },
  at: Date,
): string[] {
  const sealed = [endpoint.secret]
  if (endpoint.previous_secret && endpoint.previous_expires_at! > at) sealed.push(endpoint.previous_secret)
  return sealed.map((box) => context.masterKey.open(sealedAs, box))
}

/** What people change, for the ETag: the outcome of a delivery must not cause a conflict. */
export function settingsOf({ url, description, events, enabled }: Webhook): object {
  return { url, description, events, enabled }
}

function requireAllowedUrl(context: Context, url: string): void {
  const problem = context.outgoing.problemOf(url)
  if (problem) throw invalid({ field: 'url', message: problem })
}

function toWebhook({ previous_expires_at, ...endpoint }: store.WebhookEndpoint, now: Date): Webhook {
  const overlap = previous_expires_at && previous_expires_at > now ? previous_expires_at : null
  return { ...endpoint, enabled: endpoint.disabled_at === null, previous_secret_expires_at: overlap }
}

async function audit(
  context: Context,
  sql: Sql,
  type: `webhook.${'created' | 'changed' | 'deleted' | 'secret_rotated'}`,
  actor: Actor,
  partnerId: string,
  webhookId: string,
  details: Record<string, string[]> = {},
): Promise<void> {
  const at = context.now()
  await recordAudit(sql, { type, at, actor, partner_id: partnerId, details: { webhook_id: webhookId, ...details } })
}
