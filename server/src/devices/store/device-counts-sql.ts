import { cancelWhen, type Sql } from '../../platform/database/sql.ts'
import type { EffectiveStatus } from './devices-sql.ts'

export type StatusCounts = Record<EffectiveStatus, number>

export interface SpaceCount {
  space_id: string
  status: EffectiveStatus
  count: number
}

/** How many devices of each status are directly in each of the spaces; an index-only scan of their ranges. */
export async function countBySpace(
  sql: Sql,
  customerId: string,
  spaceIds: string[],
  signal: AbortSignal | undefined,
): Promise<SpaceCount[]> {
  const statement = sql<SpaceCount[]>`
    select space_id, status, count(*)::int as count from devices
    where customer_id = ${customerId} and space_id = any(${spaceIds}::uuid[]) and space_id is not null
    group by space_id, status`
  return await cancelWhen(signal, statement)
}

const columns = (sql: Sql) => sql`
  count(*) filter (where status = 'never_seen')::int as never_seen, count(*) filter (where status = 'online')::int as online,
  count(*) filter (where status = 'offline')::int as offline, count(*) filter (where status = 'error')::int as error`

export interface TrendPoint extends StatusCounts {
  at: Date
}

/** A customer's counts since then, oldest first. */
export async function listTrend(sql: Sql, customerId: string, since: Date): Promise<TrendPoint[]> {
  return await sql<TrendPoint[]>`
    select at, never_seen, online, offline, error from device_trends
    where customer_id = ${customerId} and at >= ${since} order by at`
}

export async function hasTrendAt(sql: Sql, at: Date): Promise<boolean> {
  const rows = await sql`select from device_trends where at = ${at} limit 1`
  return rows.length > 0
}

/** Counts the devices of every customer, in one pass over the index of customer and status. */
export async function insertTrends(sql: Sql, at: Date): Promise<void> {
  await sql`
    insert into device_trends (customer_id, at, never_seen, online, offline, error)
    select customer_id, ${at}, ${columns(sql)} from devices
    where removed_at is null and customer_id is not null group by customer_id
    on conflict do nothing`
}

export async function deleteTrendsBefore(sql: Sql, at: Date): Promise<void> {
  await sql`delete from device_trends where at < least(${at}, now() - interval '1 day')`
}

export interface FleetCount extends StatusCounts {
  model_id: string
  model_name: string
  firmware_version: string
}

/** Rows that a partner's fleet has at most: versions are the devices' own texts. */
const maxRows = 200

const largestFirst = (sql: Sql) => sql`never_seen + online + offline + error desc, model_id, firmware_version`

/** By model, firmware version and status; nothing when there are more devices than `max`. */
export async function countFleet(sql: Sql, partnerId: string, max: number): Promise<FleetCount[] | undefined> {
  const rows = await sql<(FleetCount & { devices: number })[]>`
    with device as materialized (
      select model_id, firmware_version, status from devices
      where partner_id = ${partnerId} and removed_at is null limit ${max + 1}
    ), counted as (
      select model_id, firmware_version, ${columns(sql)} from device group by model_id, firmware_version
    )
    select model_id, model.name as model_name, firmware_version, never_seen, online, offline, error,
      (select count(*)::int from device) as devices
    from counted join models model on model.id = model_id
    order by ${largestFirst(sql)} limit ${maxRows}`
  if ((rows[0]?.devices ?? 0) > max) return undefined
  return rows.map(({ devices, ...row }) => row)
}

/** The same as it was last counted. */
export async function listFleetCounts(sql: Sql, partnerId: string): Promise<(FleetCount & { counted_at: Date })[]> {
  return await sql<(FleetCount & { counted_at: Date })[]>`
    select model_id, model.name as model_name, firmware_version, never_seen, online, offline, error, counted_at
    from fleet_counts join models model on model.id = model_id
    where fleet_counts.partner_id = ${partnerId}
    order by ${largestFirst(sql)}`
}

export async function deleteFleetCounts(sql: Sql): Promise<void> {
  await sql`delete from fleet_counts`
}

/** Of the partners with more devices than `above`, in one pass over all devices. */
export async function insertFleetCounts(sql: Sql, at: Date, above: number): Promise<void> {
  await sql`
    insert into fleet_counts (partner_id, model_id, firmware_version, never_seen, online, offline, error, counted_at)
    select partner_id, model_id, firmware_version, never_seen, online, offline, error, ${at}
    from (
      select partner_id, model_id, firmware_version, ${columns(sql)},
        sum(count(*)) over (partition by partner_id) as fleet,
        row_number() over (partition by partner_id order by count(*) desc, model_id, firmware_version) as rank
      from devices where removed_at is null group by partner_id, model_id, firmware_version
    ) counted
    where fleet > ${above} and rank <= ${maxRows}`
}
