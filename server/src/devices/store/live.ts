import { agedBefore, type Sql } from '../../platform/database/sql.ts'
import type { StateRow } from './devices.ts'

export async function upsertInterests(
  sql: Sql,
  customerIds: readonly string[],
  processId: string,
  until: Date,
): Promise<void> {
  await sql`
    insert into live_interests (customer_id, process_id, until)
    select customer_id, ${processId}, ${until} from unnest(${customerIds.toSorted()}::uuid[]) as customer_id
    on conflict (customer_id, process_id) do update set until = excluded.until`
}

/** Deletes the interests of this process, and expired ones of processes that stopped. */
export async function deleteInterests(
  sql: Sql,
  processId: string,
  customerIds: readonly string[],
  now: Date,
): Promise<void> {
  await sql`
    delete from live_interests
    where until < ${agedBefore(sql, { now, milliseconds: 0 })} or (process_id = ${processId} and customer_id = any(${[...customerIds]}::uuid[]))`
}

export async function listInterests(sql: Sql, now: Date) {
  return await sql<{ customer_id: string; process_id: string; until: Date }[]>`
    select customer_id, process_id, until from live_interests where until > ${now}`
}

export async function findOwners(sql: Sql, deviceIds: readonly string[], customerIds: readonly string[]) {
  return await sql<{ device_id: string; customer_id: string }[]>`
    select device_id, customer_id from device_states
    where device_id = any(${[...deviceIds]}::uuid[]) and customer_id = any(${[...customerIds]}::uuid[])
      and removed_at is null`
}

export interface LiveRow extends StateRow {
  device_id: string
  status: string
  status_at: Date
  last_seen_at: Date | null
}

export async function readLive(sql: Sql, customerId: string, deviceIds: readonly string[]): Promise<LiveRow[]> {
  return await sql<LiveRow[]>`
    select device.id as device_id, device.status, device.status_at, state.seen_at as last_seen_at,
      state.latest, case when state.latest is not null then state.latest_at end as latest_at, state.rest
    from devices device join device_states state on state.device_id = device.id
    where device.id = any(${[...deviceIds]}::uuid[]) and device.customer_id = ${customerId} and device.removed_at is null`
}

interface ChangeRange {
  after: string
  limit: number
  device_id: string | null
}

/** Devices that sent telemetry or changed status since, by id: for streams that resume. */
export async function listChangedSince(sql: Sql, customerId: string, since: Date, range: ChangeRange) {
  const { after, limit, device_id } = range
  return await sql<{ id: string; telemetry: boolean; status: boolean }[]>`
    select device.id, coalesce(state.seen_at >= ${since}, false) as telemetry, device.status_at >= ${since} as status
    from devices device join device_states state on state.device_id = device.id
    where device.customer_id = ${customerId} and device.removed_at is null and device.id > ${after}
      and (${device_id}::uuid is null or device.id = ${device_id})
      and (state.seen_at >= ${since} or device.status_at >= ${since})
    order by device.id limit ${limit}`
}

export async function listRemovedSince(sql: Sql, customerId: string, since: Date, range: ChangeRange) {
  const { after, limit, device_id } = range
  return await sql<{ id: string }[]>`
    select id from devices
    where customer_id = ${customerId} and removed_at >= ${since} and id > ${after}
      and (${device_id}::uuid is null or id = ${device_id})
    order by id limit ${limit}`
}
