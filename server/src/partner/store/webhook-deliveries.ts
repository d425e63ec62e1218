import { type Age, agedBefore, type PageRange, type Sql } from '../../platform/database/sql.ts'

export interface Delivery {
  event_id: string
  type: string
  state: 'pending' | 'delivered' | 'failed'
  queued_at: Date
  attempts: number
  next_attempt_at: Date | null
  attempted_at: Date | null
  response_status: number | null
  failure: string | null
  duration_ms: number | null
  payload: string
}

const shown = [
  'event_id',
  'type',
  'state',
  'queued_at',
  'attempts',
  'next_attempt_at',
  'attempted_at',
  'response_status',
  'failure',
  'duration_ms',
  'payload',
] as const

export interface ClaimedDelivery {
  endpoint_id: string
  event_id: string
  payload: string
  attempts: number
  first_attempted_at: Date
  partner_id: string
  url: string
  secret: Buffer
  previous_secret: Buffer | null
  previous_expires_at: Date | null
  failing_since: Date | null
  disabled_at: Date | null
}

export interface Claim {
  now: Date
  leaseUntil: Date
  most: number
  mostOfOnePartner: number
  mostOfOneEndpoint: number
  /** What this process is already at. */
  underWay: { partner_id: string; endpoint_id: string }[]
}

/**
 * Takes what is due, a few of each endpoint and of each partner, so that neither a slow receiver with a long queue nor a
 * partner with many of them holds up anybody else's. Whoever has fewer places comes first, then what has been due longest.
 */
export async function claimDueDeliveries(sql: Sql, claim: Claim): Promise<ClaimedDelivery[]> {
  const busy = (key: 'partner_id' | 'endpoint_id') => claim.underWay.map((delivery) => delivery[key])
  return await sql<ClaimedDelivery[]>`
    with due as (
      select delivery.endpoint_id, delivery.event_id, delivery.next_attempt_at,
        cardinality(array_positions(${busy('partner_id')}::uuid[], endpoint.partner_id))
          + row_number() over (partition by endpoint.partner_id order by delivery.nth, delivery.next_attempt_at) as place
      from webhook_endpoints endpoint
      cross join lateral (
        select endpoint_id, event_id, next_attempt_at, row_number() over (order by next_attempt_at) as nth
        from webhook_deliveries
        where endpoint_id = endpoint.id and next_attempt_at <= ${claim.now}
        order by next_attempt_at limit ${claim.mostOfOneEndpoint}
      ) delivery
      where (endpoint.paused_until is null or endpoint.paused_until <= ${claim.now})
        and endpoint.id <> all(${busy('endpoint_id')}::uuid[])
    ), chosen as (
      select endpoint_id, event_id from due where place <= ${claim.mostOfOnePartner}
      order by place, next_attempt_at limit ${claim.most}
    ), taken as (
      -- Still due: another process may have been quicker.
      select endpoint_id, event_id from chosen join webhook_deliveries delivery using (endpoint_id, event_id)
      where delivery.next_attempt_at <= ${claim.now}
      for update of delivery skip locked
    )
    update webhook_deliveries delivery
    set attempting = true, next_attempt_at = ${claim.leaseUntil}, attempts = attempts + 1, attempted_at = ${claim.now},
      first_attempted_at = coalesce(first_attempted_at, ${claim.now})
    from taken join webhook_endpoints endpoint on endpoint.id = taken.endpoint_id
    where delivery.endpoint_id = taken.endpoint_id and delivery.event_id = taken.event_id
    returning delivery.endpoint_id, delivery.event_id, delivery.payload, delivery.attempts,
      delivery.first_attempted_at, endpoint.partner_id, endpoint.url, endpoint.secret, endpoint.previous_secret,
      endpoint.previous_expires_at, endpoint.failing_since, endpoint.disabled_at`
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

/** Without effect when the lease was lost: another process has it now, and its word counts. */
export async function settleDelivery(sql: Sql, settlement: Settlement): Promise<void> {
  await sql`
    update webhook_deliveries set attempting = false,
      ${sql(settlement, 'state', 'next_attempt_at', 'response_status', 'failure', 'duration_ms')}
    where endpoint_id = ${settlement.endpoint_id} and event_id = ${settlement.event_id}
      and attempts = ${settlement.attempts} and attempting`
}

export async function failPendingDeliveries(sql: Sql, endpointId: string, failure: string): Promise<void> {
  await sql`
    update webhook_deliveries set state = 'failed', next_attempt_at = null, attempting = false, failure = ${failure}
    where endpoint_id = ${endpointId} and next_attempt_at is not null`
}

/** Newest first. The state stands in the statement only where it is asked for, so that each finds its own index. */
export async function listDeliveries(
  sql: Sql,
  endpointId: string,
  state: Delivery['state'] | undefined,
  { after, limit }: PageRange,
): Promise<Delivery[]> {
  return await sql<Delivery[]>`
    select ${sql(shown)} from webhook_deliveries
    where endpoint_id = ${endpointId} and event_id < ${after} ${state === undefined ? sql`` : sql`and state = ${state}`}
    order by event_id desc limit ${limit}`
}

/** Queues it again from the start. Nothing when it is being attempted at this moment, or does not exist. */
export async function requeueDelivery(
  sql: Sql,
  endpointId: string,
  eventId: string,
  at: Date,
): Promise<Delivery | undefined> {
  const [row] = await sql<Delivery[]>`
    update webhook_deliveries set state = 'pending', attempts = 0, queued_at = ${at}, next_attempt_at = ${at},
      first_attempted_at = null
    where endpoint_id = ${endpointId} and event_id = ${eventId} and not attempting
    returning ${sql(shown)}`
  return row
}

export async function findDelivery(sql: Sql, endpointId: string, eventId: string): Promise<Delivery | undefined> {
  const [row] = await sql<Delivery[]>`
    select ${sql(shown)} from webhook_deliveries where endpoint_id = ${endpointId} and event_id = ${eventId}`
  return row
}

export interface NewDelivery {
  endpoint_id: string
  event_id: string
  type: string
  payload: string
  queued_at: Date
  next_attempt_at: Date
}

export async function insertDelivery(sql: Sql, delivery: NewDelivery): Promise<void> {
  await sql`
    insert into webhook_deliveries
    ${sql(delivery, 'endpoint_id', 'event_id', 'type', 'payload', 'queued_at', 'next_attempt_at')}`
}

export async function deleteOldDeliveries(sql: Sql, age: Age, most: number): Promise<number> {
  const { count } = await sql`
    delete from webhook_deliveries where (endpoint_id, event_id) in (
      select endpoint_id, event_id from webhook_deliveries
      where next_attempt_at is null and queued_at < ${agedBefore(sql, age)}
      order by queued_at limit ${most} for update skip locked)`
  return count
}
