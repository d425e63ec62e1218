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
  /** Until when its event type waits at this endpoint, after failures in a row. */
  paused_until: Date | null
  attempted_at: Date | null
  response_status: number | null
  failure: string | null
  duration_ms: number | null
  payload: string
}

export interface ClaimedDelivery {
  endpoint_id: string
  event_id: string
  type: string
  by_person: boolean
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
  /** Failures of its event type in a row, at this endpoint. */
  type_failures: number
}

/** How many may be under way in one process. */
export interface Memberships {
  all: number
  /** Beyond `all`, for partners that have nothing under way: those who hang cannot lock them out. */
  spare: number
  ofOnePartner: number
  ofOneEndpoint: number
  ofOneType: number
  /** Beyond the others: what a person asked for. */
  byPerson: number
}

export interface Claim {
  now: Date
  leaseUntil: Date
  places: Memberships
  /** An event type with this many failures in a row gets one place. */
  failingFrom: number
  /** Failures whose pause ended before this instant count no more. */
  failuresSince: Date
  /** What this process is already at. */
  underWay: Pick<ClaimedDelivery, 'partner_id' | 'endpoint_id' | 'type' | 'by_person'>[]
}

/**
 * Takes what is due, a few of each event type, endpoint and partner, so that none that hangs or fails holds up another:
 * an event type with nothing under way at an endpoint gets a place though its partner has used up its own. Whoever has fewer places comes first, then what has been due
 * longest. `pending` steps from one endpoint and type to the next in the index, past their other deliveries.
 */
export async function claimDueDeliveries(sql: Sql, claim: Claim): Promise<ClaimedDelivery[]> {
  const { now, places, underWay } = claim
  return await sql<ClaimedDelivery[]>`
    with recursive pending as (
      (select endpoint_id, type from webhook_deliveries where next_attempt_at is not null and not by_person
        order by endpoint_id, type limit 1)
      union all
      select later.endpoint_id, later.type from pending cross join lateral (
        select endpoint_id, type from webhook_deliveries
        where next_attempt_at is not null and not by_person
          and (endpoint_id, type) > (pending.endpoint_id, pending.type)
        order by endpoint_id, type limit 1
      ) later
    ), busy as (
      select * from unnest(
        ${underWay.map((delivery) => delivery.partner_id)}::uuid[],
        ${underWay.map((delivery) => delivery.endpoint_id)}::uuid[],
        ${underWay.map((delivery) => delivery.type)}::text[],
        ${underWay.map((delivery) => String(delivery.by_person))}::text[]::boolean[]
      ) as busy (partner_id, endpoint_id, type, by_person)
    ), of_types as (
      select endpoint.partner_id, pending.endpoint_id, delivery.event_id, delivery.next_attempt_at,
        (select count(*) from busy where busy.endpoint_id = pending.endpoint_id and busy.type = pending.type
          and not busy.by_person) + delivery.nth as place,
        case when failing.failures >= ${claim.failingFrom} and failing.paused_until >= ${claim.failuresSince} then 1 else ${places.ofOneType} end as max
      from pending
      join webhook_endpoints endpoint on endpoint.id = pending.endpoint_id
      left join webhook_failing_types failing
        on failing.endpoint_id = pending.endpoint_id and failing.type = pending.type
      cross join lateral (
        -- By rows: by the default frame Postgres 15 reads on to the end of equal instants.
        select event_id, next_attempt_at, row_number() over (order by next_attempt_at rows unbounded preceding) as nth
        from webhook_deliveries
        where endpoint_id = pending.endpoint_id and type = pending.type and not by_person and next_attempt_at <= ${now}
        order by next_attempt_at limit ${places.ofOneType}
      ) delivery
      where failing.paused_until is null or failing.paused_until <= ${now}
    ), of_endpoints as (
      select partner_id, endpoint_id, event_id, next_attempt_at, place as of_type,
        (select count(*) from busy where busy.endpoint_id = of_types.endpoint_id and not by_person)
          + row_number() over (partition by endpoint_id order by place, next_attempt_at) as place
      from of_types where place <= max
    ), of_partners as (
      select endpoint_id, event_id, next_attempt_at, of_type,
        (select count(*) from busy where busy.partner_id = of_endpoints.partner_id and not by_person)
          + row_number() over (partition by partner_id order by place, next_attempt_at) as place
      from of_endpoints where place <= ${places.ofOneEndpoint}
    ), ranked as (
      select endpoint_id, event_id, place, ${underWay.length} + row_number() over (order by place, next_attempt_at) as nth
      from of_partners where place <= ${places.ofOnePartner} or of_type = 1
    ), asked_for as (
      select endpoint_id, event_id,
        (select count(*) from busy where busy.endpoint_id = delivery.endpoint_id and busy.by_person)
          + row_number() over (partition by endpoint_id order by next_attempt_at) as place
      from webhook_deliveries delivery where by_person and next_attempt_at <= ${now}
    ), chosen as (
      select endpoint_id, event_id from ranked
      where nth <= ${places.all} or (place = 1 and nth <= ${places.all + places.spare})
      union all
      select endpoint_id, event_id from asked_for where place <= ${places.byPerson}
    ), taken as (
      -- Still due: another process may have been quicker.
      select endpoint_id, event_id, delivery.type
      from chosen join webhook_deliveries delivery using (endpoint_id, event_id)
      where delivery.next_attempt_at <= ${now}
      for update of delivery skip locked
    )
    update webhook_deliveries delivery
    set attempting = true, next_attempt_at = ${claim.leaseUntil}, attempts = attempts + 1, attempted_at = ${now},
      first_attempted_at = coalesce(first_attempted_at, ${now})
    from taken join webhook_endpoints endpoint on endpoint.id = taken.endpoint_id
    left join webhook_failing_types failing on failing.endpoint_id = taken.endpoint_id and failing.type = taken.type
    where delivery.endpoint_id = taken.endpoint_id and delivery.event_id = taken.event_id
    returning delivery.endpoint_id, delivery.event_id, delivery.type, delivery.by_person, delivery.payload,
      delivery.attempts, delivery.first_attempted_at, endpoint.partner_id, endpoint.url, endpoint.secret,
      endpoint.previous_secret, endpoint.previous_expires_at, endpoint.failing_since, endpoint.disabled_at,
      case when failing.paused_until >= ${claim.failuresSince} then failing.failures else 0 end as type_failures`
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
    update webhook_deliveries set attempting = false, by_person = false,
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
    select ${shownWith(sql)}
    where delivery.endpoint_id = ${endpointId} and delivery.event_id < ${after}
      ${state === undefined ? sql`` : sql`and delivery.state = ${state}`}
    order by delivery.event_id desc limit ${limit}`
}

/** Queues it again from the start. False when it is being attempted at this moment, or does not exist. */
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
    select ${shownWith(sql)} where delivery.endpoint_id = ${endpointId} and delivery.event_id = ${eventId}`
  return row
}

export async function countAskedFor(sql: Sql, endpointId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from webhook_deliveries
    where endpoint_id = ${endpointId} and by_person and next_attempt_at is not null`
  return row!.count
}

function shownWith(sql: Sql) {
  return sql`
    delivery.event_id, delivery.type, delivery.state, delivery.queued_at, delivery.attempts, delivery.attempting,
      delivery.by_person, delivery.next_attempt_at, failing.paused_until, delivery.attempted_at,
      delivery.response_status, delivery.failure, delivery.duration_ms, delivery.payload
    from webhook_deliveries delivery
    left join webhook_failing_types failing
      on failing.endpoint_id = delivery.endpoint_id and failing.type = delivery.type`
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
