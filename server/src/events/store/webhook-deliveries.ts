import { type Age, agedBefore, type PageRange, type Sql } from '../../platform/database/sql.ts'

export interface Delivery {
  event_id: string
  type: string
  state: 'pending' | 'delivered' | 'failed'
  queued_at: Date
  attempts: number
  attempting: boolean
  by_person: boolean
  next_attempt_at: Date | null
  /** Until when its event type waits at this endpoint, after consecutive failures. */
  paused_until: Date | null
  attempted_at: Date | null
  response_status: number | null
  failure: string | null
  duration_ms: number | null
  payload: string
}

export interface Settlement {
  endpoint_id: string
  event_id: string
  attempts: number
  state: Delivery['state']
  next_attempt_at: Date | null
  response_status: number | null
  failure: string | null
  duration_ms: number | null
}

/** No effect when the lease was lost: another process has the delivery now. */
export async function settleDelivery(sql: Sql, settlement: Settlement): Promise<void> {
  await sql`${settled(sql, settlement)}`
}

/** A success, with the end of the endpoint's failures, whose row is always locked before its deliveries. */
export async function settleSuccess(sql: Sql, settlement: Settlement): Promise<void> {
  await sql`
    with endpoint as (
      update webhook_endpoints set failing_since = null
      where id = ${settlement.endpoint_id} and failing_since is not null
      returning id
    )
    ${settled(sql, settlement)} and (select count(*) from endpoint) <= 1`
}

function settled(sql: Sql, settlement: Settlement) {
  return sql`
    update webhook_deliveries set attempting = false, by_person = false,
      ${sql(settlement, 'state', 'next_attempt_at', 'response_status', 'failure', 'duration_ms')}
    where endpoint_id = ${settlement.endpoint_id} and event_id = ${settlement.event_id}
      and attempts = ${settlement.attempts} and attempting`
}

export async function failPendingDeliveries(sql: Sql, endpointId: string, failure: string): Promise<void> {
  await sql`
    update webhook_deliveries set state = 'failed', next_attempt_at = null, attempting = false, failure = ${failure}
    where endpoint_id = ${endpointId} and state = 'pending'`
}

/** Newest first. The statement names the state only where one is asked for, so that each form uses its own index. */
export async function listDeliveries(
  sql: Sql,
  endpointId: string,
  state: Delivery['state'] | undefined,
  { after, limit }: PageRange,
): Promise<Delivery[]> {
  return await sql<Delivery[]>`
    select ${deliveryColumns(sql)}
    where delivery.endpoint_id = ${endpointId} and delivery.event_id < ${after}
      ${state === undefined ? sql`` : sql`and delivery.state = ${state}`}
    order by delivery.event_id desc limit ${limit}`
}

/** Queues it again from the start. False when an attempt is in progress, or there is no such delivery. */
export async function requeueDelivery(
  sql: Sql,
  endpointId: string,
  eventId: string,
  { at, byPerson }: { at: Date; byPerson: boolean },
): Promise<boolean> {
  const { count } = await sql`
    update webhook_deliveries set state = 'pending', attempts = 0, queued_at = ${at}, next_attempt_at = ${at},
      first_attempted_at = null, by_person = ${byPerson}
    where endpoint_id = ${endpointId} and event_id = ${eventId} and not attempting`
  return count === 1
}

export async function findDelivery(sql: Sql, endpointId: string, eventId: string): Promise<Delivery | undefined> {
  const [row] = await sql<Delivery[]>`
    select ${deliveryColumns(sql)} where delivery.endpoint_id = ${endpointId} and delivery.event_id = ${eventId}`
  return row
}

export async function countByPerson(sql: Sql, partition: number, endpointId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from webhook_deliveries
    where partition = ${partition} and endpoint_id = ${endpointId}
      and by_person and next_attempt_at is not null`
  return row!.count
}

function deliveryColumns(sql: Sql) {
  return sql`
    delivery.event_id, delivery.type, delivery.state, delivery.queued_at, delivery.attempts, delivery.attempting,
      delivery.by_person, delivery.next_attempt_at, failing.paused_until, delivery.attempted_at,
      delivery.response_status, delivery.failure, delivery.duration_ms, delivery.payload
    from webhook_deliveries delivery
    left join webhook_failing_types failing
      on failing.endpoint_id = delivery.endpoint_id and failing.type = delivery.type`
}

/** An event to queue: for its partner, or for the partner of its application. */
export interface QueuedEvent {
  id: string
  partner_id: string
  type: string
  at: string
  payload: string
  traceparent: string | null
}

/**
 * One delivery per enabled endpoint that subscribes to the event; returns the partitions that got some. With the lock, an
 * endpoint that is being deleted drops out; without it, its foreign key would roll back the caller's transaction.
 */
export async function insertEventDeliveries(sql: Sql, events: QueuedEvent[]): Promise<number[]> {
  const rows = await sql<{ partition: number }[]>`
    with queued as (
      insert into webhook_deliveries (endpoint_id, event_id, type, payload, queued_at, next_attempt_at, traceparent)
      select endpoint.id, event.id, event.type, event.payload, event.at, event.at, event.traceparent
      from unnest(
        ${events.map((event) => event.id)}::uuid[],
        ${events.map((event) => event.partner_id)}::uuid[],
        ${events.map((event) => event.type)}::text[],
        ${events.map((event) => event.payload)}::text[],
        ${events.map((event) => event.at)}::timestamptz[],
        ${events.map((event) => event.traceparent)}::text[]
      ) as event (id, partner_id, type, payload, at, traceparent)
      join webhook_endpoints endpoint on endpoint.partner_id = event.partner_id
      where endpoint.disabled_at is null and event.type = any(endpoint.events)
      for key share of endpoint
      returning partition
    )
    select distinct partition from queued`
  return rows.map(({ partition }) => partition)
}

export interface NewDelivery {
  endpoint_id: string
  event_id: string
  type: string
  payload: string
  queued_at: Date
  next_attempt_at: Date
  by_person: boolean
}

export async function insertDelivery(sql: Sql, delivery: NewDelivery): Promise<void> {
  await sql`
    insert into webhook_deliveries
    ${sql(delivery, 'endpoint_id', 'event_id', 'type', 'payload', 'queued_at', 'next_attempt_at', 'by_person')}`
}

export async function deleteOldDeliveries(sql: Sql, age: Age, max: number): Promise<number> {
  const { count } = await sql`
    delete from webhook_deliveries where ctid = any(array(
      select ctid from webhook_deliveries
      where next_attempt_at is null and queued_at < ${agedBefore(sql, age)}
      order by queued_at limit ${max} for update skip locked))`
  return count
}
