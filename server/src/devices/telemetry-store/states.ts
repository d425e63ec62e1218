import { concerning, type Sql } from '../../platform/database/sql.ts'
import { bucketOf } from '../bucket.ts'
import { isDevice, wantedDevices } from './devices-wanted.ts'
import { byLane, inBuckets } from './lanes.ts'

export type EffectiveStatus = 'never_seen' | 'online' | 'offline' | 'error'

interface NewState {
  device_id: string
  number: number
  key_digest: Buffer
  /** The values that are alarms, each as `{"key": value}`; null when there are none. */
  alarming: string[] | null
}

export async function insertState(sql: Sql, { device_id, number, key_digest, alarming }: NewState): Promise<void> {
  const bucket = bucketOf(device_id)
  const statement = sql`
    insert into device_states (bucket, device_id, number, key_digest, alarming)
    values (${bucket}, ${device_id}, ${number}, ${key_digest}, ${alarming}::jsonb[])`
  await concerning(sql, [bucket], statement)
}

/**
 * Decision 7.3: a new key for a device that has not used its current one, or whose replace window is open. The new key
 * counts as unused, so that a lost response can be retried again. `replaced` when the key before was in use: it may be
 * other hardware.
 */
export async function renewKey(
  sql: Sql,
  deviceId: string,
  keyDigest: Buffer,
  at: Date,
): Promise<'renewed' | 'replaced' | null> {
  const [before] = await sql<{ used: boolean }[]>`
    select authenticated_at is not null as used from device_states
    where ${isDevice(sql, deviceId)} and removed_at is null and (authenticated_at is null or replace_until > ${at})
    for update`
  if (!before) return null
  await sql`
    update device_states set key_digest = ${keyDigest}, authenticated_at = null, replace_until = null
    where ${isDevice(sql, deviceId)}`
  return before.used ? 'replaced' : 'renewed'
}

export async function isRemoved(sql: Sql, deviceId: string): Promise<boolean> {
  const [row] = await sql`select from device_states where ${isDevice(sql, deviceId)} and removed_at is null`
  return row === undefined
}

/** Always locked before the device's own row, so that no two transactions wait for each other. */
export async function lockState(sql: Sql, deviceId: string): Promise<boolean> {
  const rows = await sql`
    select from device_states where ${isDevice(sql, deviceId)} and removed_at is null for update`
  return rows.length === 1
}

/** In order of id, like every statement that locks the states of many devices (decision 9.6). */
export async function lockStates(sql: Sql, deviceIds: string[]): Promise<void> {
  for (const ids of byLane(sql, deviceIds, (id) => id)) {
    await sql`
      select from ${wantedDevices(sql, ids)}
      join device_states state on state.bucket = wanted.bucket and state.device_id = wanted.device_id
        ${inBuckets(sql, sql`state`, ids)}
      order by state.device_id for update of state`
  }
}

/** Of these devices, locks those that have never authenticated, and returns them. */
export async function lockUnused(sql: Sql, deviceIds: string[]): Promise<string[]> {
  const unused: string[] = []
  for (const ids of byLane(sql, deviceIds, (id) => id)) {
    const rows = await sql<{ device_id: string }[]>`
      select state.device_id from ${wantedDevices(sql, ids)}
      join device_states state on state.bucket = wanted.bucket and state.device_id = wanted.device_id
        ${inBuckets(sql, sql`state`, ids)}
      where state.authenticated_at is null and state.status = 'never_seen' and state.removed_at is null
      order by state.device_id for update of state`
    unused.push(...rows.map(({ device_id }) => device_id))
  }
  return unused
}

export async function setCustomerOfStates(sql: Sql, deviceIds: string[], customerId: string): Promise<void> {
  await sql`
    update device_states state set customer_id = ${customerId} from ${wantedDevices(sql, deviceIds)}
    where state.bucket = wanted.bucket and state.device_id = wanted.device_id
      ${inBuckets(sql, sql`state`, deviceIds)}`
}

export async function openWindow(sql: Sql, deviceId: string, until: Date): Promise<void> {
  await sql`update device_states set replace_until = ${until} where ${isDevice(sql, deviceId)}`
}

/** The key stays, so that a device that presents it gets 410 and not 401. */
export async function markStatesRemoved(sql: Sql, deviceIds: string[], at: Date): Promise<void> {
  await sql`
    update device_states state set removed_at = ${at}, replace_until = null from ${wantedDevices(sql, deviceIds)}
    where state.bucket = wanted.bucket and state.device_id = wanted.device_id
      ${inBuckets(sql, sql`state`, deviceIds)}`
}

/** What a list shows of a state. */
export interface StateSummary {
  device_id: string
  status: EffectiveStatus
  /** Null while it never changed. */
  status_at: Date | null
  /** What set it offline, while it is. */
  offline_by: 'connection' | 'message' | 'silence' | null
  last_seen_at: Date | null
  replace_until: Date | null
}

/** A last will is a message too, but comes after the loss that it was left for. */
const summary = (sql: Sql) => sql`
  state.device_id, state.status, state.status_at, state.seen_at as last_seen_at, state.replace_until,
  case when state.status <> 'offline' then null when state.lost_at = state.status_at then 'connection'
    when state.latest_status = 'offline' then 'message' else 'silence' end as offline_by`

export async function listStates(sql: Sql, deviceIds: readonly string[]): Promise<StateSummary[]> {
  return await sql<StateSummary[]>`
    select ${summary(sql)}
    from ${wantedDevices(sql, deviceIds)}
    join device_states state on state.bucket = wanted.bucket and state.device_id = wanted.device_id
      ${inBuckets(sql, sql`state`, deviceIds)}`
}

export async function findStateSummary(sql: Sql, deviceId: string): Promise<StateSummary | undefined> {
  const [row] = await sql<StateSummary[]>`
    select ${summary(sql)} from device_states state where ${isDevice(sql, deviceId)}`
  return row
}

/** By when they were last seen, which no index has; a page of them, each with its text in that order. */
export async function sortByLastSeen(
  sql: Sql,
  deviceIds: string[],
  { descending, after, limit }: { descending: boolean; after: { key: string; id: string } | null; limit: number },
): Promise<{ id: string; key: string }[]> {
  const direction = descending ? sql`desc` : sql`asc`
  return await sql<{ id: string; key: string }[]>`
    select id, key from (
      select state.device_id as id,
        coalesce(to_char(state.seen_at at time zone 'UTC', 'YYYYMMDDHH24MISSUS'), '') collate "C" as key
      from ${wantedDevices(sql, deviceIds)}
      join device_states state on state.bucket = wanted.bucket and state.device_id = wanted.device_id
        ${inBuckets(sql, sql`state`, deviceIds)}
    ) device
    ${after ? sql`where (key, id) ${descending ? sql`<` : sql`>`} (${after.key}::text collate "C", ${after.id}::uuid)` : sql``}
    order by key ${direction}, id ${direction} limit ${limit}`
}

export interface StateRow {
  latest: Record<string, unknown> | null
  latest_at: Date
  rest: Record<string, [value: unknown, at: number, arrivedAt: number]>
}

export async function findState(sql: Sql, deviceId: string): Promise<StateRow | undefined> {
  const [row] = await sql<StateRow[]>`
    select latest, case when latest is not null then latest_at end as latest_at, rest
    from device_states where ${isDevice(sql, deviceId)}`
  return row
}

export interface LiveState extends StateRow, StateSummary {}

export async function readLive(sql: Sql, deviceIds: readonly string[]): Promise<LiveState[]> {
  return await sql<LiveState[]>`
    select ${summary(sql)}, state.latest, case when state.latest is not null then state.latest_at end as latest_at, state.rest
    from ${wantedDevices(sql, deviceIds)}
    join device_states state on state.bucket = wanted.bucket and state.device_id = wanted.device_id
      ${inBuckets(sql, sql`state`, deviceIds)}`
}

/** Those of the devices that one of the customers has. */
export async function findOwners(sql: Sql, deviceIds: readonly string[], customerIds: readonly string[]) {
  return await sql<{ device_id: string; customer_id: string }[]>`
    select state.device_id, state.customer_id
    from ${wantedDevices(sql, deviceIds)}
    join device_states state on state.bucket = wanted.bucket and state.device_id = wanted.device_id
      ${inBuckets(sql, sql`state`, deviceIds)}
    where state.customer_id = any(${[...customerIds]}::uuid[]) and state.removed_at is null`
}
