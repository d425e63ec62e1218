import type { Fragment, Sql } from '../../platform/database/sql.ts'

export interface ClaimedDelivery {
  endpoint_id: string
  event_id: string
  type: string
  by_person: boolean
  payload: string
  attempts: number
  first_attempted_at: Date
  traceparent: string | null
  partner_id: string
  url: string
  secret: Buffer
  previous_secret: Buffer | null
  previous_expires_at: Date | null
  failing_since: Date | null
  disabled_at: Date | null
  /** Consecutive failures of its event type at this endpoint. */
  type_failures: number
}

/** How many deliveries one process may have in progress. */
export interface DeliverySlots {
  total: number
  /** Beyond `total`, for partners with nothing in progress, so that partners that hang cannot lock them out. */
  spare: number
  perPartner: number
  perEndpoint: number
  perType: number
  /** Beyond the others, per endpoint: deliveries that a person asked for. */
  byPerson: number
}

export interface Claim {
  now: Date
  leaseUntil: Date
  slots: DeliverySlots
  /** An event type with this many failures in a row gets one slot. */
  failingFrom: number
  /** Failures whose pause ended before this instant no longer count. */
  failuresSince: Date
  /** Deliveries of this process. */
  inProgress: Pick<ClaimedDelivery, 'partner_id' | 'endpoint_id' | 'type' | 'by_person'>[]
}

/** The first key of the advisory locks of the partitions, which are the second. */
export const claimLockClass = 0x77656268

/**
 * When a delivery of each partition is due next, one whose attempt is under way included: at the end of its lease. Steps
 * from one endpoint and type to the next in the index, past their other deliveries.
 */
export async function findNextAttempts(sql: Sql): Promise<Map<number, Date>> {
  const rows = await sql<{ partition: number; at: Date }[]>`
    with recursive waiting as (
      (select partition, endpoint_id, type, next_attempt_at from webhook_deliveries where next_attempt_at is not null
        order by partition, endpoint_id, type, next_attempt_at limit 1)
      union all
      select later.* from waiting cross join lateral (
        select partition, endpoint_id, type, next_attempt_at from webhook_deliveries
        where next_attempt_at is not null
          and (partition, endpoint_id, type) > (waiting.partition, waiting.endpoint_id, waiting.type)
        order by partition, endpoint_id, type, next_attempt_at limit 1
      ) later
    )
    select partition, min(at) as at from (
      select partition, greatest(waiting.next_attempt_at, failing.paused_until) as at
      from waiting left join webhook_failing_types failing using (endpoint_id, type)
      union all
      select partition, next_attempt_at from webhook_deliveries where by_person and next_attempt_at is not null
    ) delivery
    group by partition`
  return new Map(rows.map(({ partition, at }) => [partition, at]))
}

/**
 * Claims due deliveries, a few per event type, endpoint and partner, so that none that hangs or fails delays the others.
 * An event type with nothing in progress at its endpoint gets a slot even when its partner has used up its own. Those
 * with fewer slots come first, then those that have been due longest. `others` are the partitions that another process
 * is claiming at this moment, of which nothing was claimed.
 */
export async function claimDueDeliveries(
  sql: Sql,
  partitions: readonly number[],
  claim: Claim,
): Promise<{ claimed: ClaimedDelivery[]; others: number[] }> {
  const rows = await sql<({ held: number[] } & ClaimedDelivery)[]>`
    with recursive ${turn(sql, partitions)}, ${pending(sql)}, ${busy(sql, claim)},
      ${perType(sql, claim)}, ${perEndpoint(sql)}, ${perPartner(sql, claim)}, ${ranked(sql, claim)},
      ${requested(sql, claim)}, ${selected(sql, claim)}, ${locked(sql, claim)}, ${claimed(sql, claim)}
    select turn.held, claimed.*
    from (select array(select partition from turn) as held) turn left join claimed on true`
  const held = new Set(rows[0]!.held)
  return {
    claimed: rows.flatMap(({ held: _, ...delivery }) => (delivery.endpoint_id === null ? [] : delivery)),
    others: partitions.filter((partition) => !held.has(partition)),
  }
}

/** The partitions that no other process is claiming. The locks last as long as the statement. */
function turn(sql: Sql, partitions: readonly number[]): Fragment {
  return sql`turn as materialized (
      select partition from unnest(${[...partitions]}::int[]) as wanted (partition)
      where pg_try_advisory_xact_lock(${claimLockClass}::int, partition)
    )`
}

/** Endpoints and types with deliveries: walks the index from one to the next, without reading their other deliveries. */
function pending(sql: Sql): Fragment {
  return sql`pending as (
      select first.* from turn cross join lateral (
        select partition, endpoint_id, type from webhook_deliveries
        where partition = turn.partition and next_attempt_at is not null and not by_person
        order by endpoint_id, type limit 1
      ) first
      union all
      select later.* from pending cross join lateral (
        select partition, endpoint_id, type from webhook_deliveries
        where partition = pending.partition and next_attempt_at is not null and not by_person
          and (endpoint_id, type) > (pending.endpoint_id, pending.type)
        order by endpoint_id, type limit 1
      ) later
    )`
}

/** What this process has in progress. */
function busy(sql: Sql, { inProgress }: Claim): Fragment {
  return sql`busy as (
      select * from unnest(
        ${inProgress.map((delivery) => delivery.partner_id)}::uuid[],
        ${inProgress.map((delivery) => delivery.endpoint_id)}::uuid[],
        ${inProgress.map((delivery) => delivery.type)}::text[],
        ${inProgress.map((delivery) => String(delivery.by_person))}::text[]::boolean[]
      ) as busy (partner_id, endpoint_id, type, by_person)
    )`
}

/** The first due deliveries of each endpoint and type, with the slot of the type that each would take. */
function perType(sql: Sql, { now, slots, failingFrom, failuresSince }: Claim): Fragment {
  return sql`per_type as (
      select endpoint.partner_id, pending.endpoint_id, delivery.tid, delivery.next_attempt_at,
        (select count(*) from busy where busy.endpoint_id = pending.endpoint_id and busy.type = pending.type
          and not busy.by_person) + delivery.nth as slot,
        case when failing.failures >= ${failingFrom} and failing.paused_until >= ${failuresSince}
          then 1 else ${slots.perType} end as max
      from pending
      join webhook_endpoints endpoint on endpoint.id = pending.endpoint_id
      left join webhook_failing_types failing
        on failing.endpoint_id = pending.endpoint_id and failing.type = pending.type
      cross join lateral (
        -- By rows: with the default frame Postgres 15 reads on through all rows of the same instant.
        select ctid as tid, next_attempt_at, row_number() over (order by next_attempt_at rows unbounded preceding) as nth
        from webhook_deliveries
        where partition = pending.partition and endpoint_id = pending.endpoint_id and type = pending.type
          and not by_person and next_attempt_at <= ${now}
        order by next_attempt_at limit ${slots.perType}
      ) delivery
      where failing.paused_until is null or failing.paused_until <= ${now}
    )`
}

/** Of those that their type lets through, the slot of the endpoint. */
function perEndpoint(sql: Sql): Fragment {
  return sql`per_endpoint as (
      select partner_id, tid, next_attempt_at, slot as type_slot,
        (select count(*) from busy where busy.endpoint_id = per_type.endpoint_id and not by_person)
          + row_number() over (partition by endpoint_id order by slot, next_attempt_at) as slot
      from per_type where slot <= max
    )`
}

/** Of those that their endpoint lets through, the slot of the partner. */
function perPartner(sql: Sql, { slots }: Claim): Fragment {
  return sql`per_partner as (
      select tid, next_attempt_at, type_slot,
        (select count(*) from busy where busy.partner_id = per_endpoint.partner_id and not by_person)
          + row_number() over (partition by partner_id order by slot, next_attempt_at) as slot
      from per_endpoint where slot <= ${slots.perEndpoint}
    )`
}

/** Of those that their partner lets through, the order in which they take the slots of the process. */
function ranked(sql: Sql, { slots, inProgress }: Claim): Fragment {
  return sql`ranked as (
      select tid, slot, ${inProgress.length} + row_number() over (order by slot, next_attempt_at) as nth
      from per_partner where slot <= ${slots.perPartner} or type_slot = 1
    )`
}

/** What people asked for, which has slots of its own. */
function requested(sql: Sql, { now }: Claim): Fragment {
  return sql`requested as (
      select delivery.ctid as tid,
        (select count(*) from busy where busy.endpoint_id = delivery.endpoint_id and busy.by_person)
          + row_number() over (partition by endpoint_id order by next_attempt_at) as slot
      from webhook_deliveries delivery
      where by_person and next_attempt_at <= ${now} and partition = any(array(select partition from turn))
    )`
}

function selected(sql: Sql, { slots }: Claim): Fragment {
  return sql`selected as (
      select tid from ranked
      where nth <= ${slots.total} or (slot = 1 and nth <= ${slots.total + slots.spare})
      union all
      select tid from requested where slot <= ${slots.byPerson}
    )`
}

/** By their position in the table (ctid): a join by key may read everything that is due. Still due: a person may have been quicker. */
function locked(sql: Sql, { now }: Claim): Fragment {
  return sql`locked as materialized (
      select ctid as tid, endpoint_id, event_id, type from webhook_deliveries
      where ctid = any(array(select tid from selected)) and next_attempt_at <= ${now}
      for update skip locked
    )`
}

function claimed(sql: Sql, { now, leaseUntil, failuresSince }: Claim): Fragment {
  return sql`claimed as (
      update webhook_deliveries delivery
      set attempting = true, next_attempt_at = ${leaseUntil}, attempts = attempts + 1, attempted_at = ${now},
        first_attempted_at = coalesce(first_attempted_at, ${now})
      from locked join webhook_endpoints endpoint on endpoint.id = locked.endpoint_id
      left join webhook_failing_types failing on failing.endpoint_id = locked.endpoint_id and failing.type = locked.type
      where delivery.ctid = any(array(select tid from locked))
        and delivery.endpoint_id = locked.endpoint_id and delivery.event_id = locked.event_id
      returning delivery.endpoint_id, delivery.event_id, delivery.type, delivery.by_person, delivery.payload,
        delivery.attempts, delivery.first_attempted_at, delivery.traceparent, endpoint.partner_id, endpoint.url,
        endpoint.secret, endpoint.previous_secret, endpoint.previous_expires_at, endpoint.failing_since,
        endpoint.disabled_at,
        case when failing.paused_until >= ${failuresSince} then failing.failures else 0 end as type_failures
    )`
}
