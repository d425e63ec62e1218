import { cancelWhen, concerning, type Sql } from '../../platform/database/sql.ts'
import { bucketOf } from '../bucket.ts'
import { wantedDevices } from './devices-wanted.ts'
import { inBuckets, inReach, runInLane } from './lanes.ts'
import type { NumberedStatus } from './message-statuses.ts'

/**
 * Sets the devices of lost connections, all of one lane, offline where the connection was still the current one, and returns those. The
 * row is locked, so that a new connection comes either before, and nothing happens, or after. A device that has sent
 * something since, by HTTP, is not offline: a loss may be recorded long after it.
 */
export async function setLostOffline(sql: Sql, lost: readonly { device_id: string; number: number; lost_at: Date }[]) {
  const statement = sql<{ device_id: string; number: number; change: NumberedStatus | null }[]>`
    with ended as materialized (
      select current.bucket, current.device_id, lost.number, lost.lost_at from device_connections current
      join unnest(
        ${lost.map(({ device_id }) => bucketOf(device_id))}::smallint[],
        ${lost.map(({ device_id }) => device_id)}::uuid[], ${lost.map(({ number }) => number)}::float8[],
        ${lost.map(({ lost_at }) => lost_at)}::timestamptz[]
      ) as lost (bucket, device_id, number, lost_at)
        on lost.bucket = current.bucket and lost.device_id = current.device_id and lost.number = current.number
      order by current.device_id
      for update of current
    ), before as materialized (
      select state.bucket, state.device_id, state.status, ended.lost_at
      from ended join device_states state on state.bucket = ended.bucket and state.device_id = ended.device_id
      where state.status in ('online', 'error') and state.removed_at is null and state.seen_at <= ended.lost_at
      order by state.device_id
      for update of state
    ), changed as (
      update device_states state set status = 'offline', status_at = greatest(state.status_at, before.lost_at),
        lost_at = greatest(state.status_at, before.lost_at), status_number = state.status_number + 1
      from before where state.bucket = before.bucket and state.device_id = before.device_id
      returning state.bucket, state.device_id, state.number as device_number, before.status as previous,
        state.status_at, state.status_number
    ), recorded as (
      insert into status_changes (bucket, device_id, number, device_number, status, previous, at)
      select bucket, device_id, status_number, device_number, 'offline', previous, status_at from changed
    )
    select ended.device_id, ended.number, case when changed.device_id is not null then json_build_object(
      'device_id', ended.device_id, 'status', 'offline', 'number', changed.status_number,
      'at', floor(extract(epoch from changed.status_at) * 1000)::bigint
    ) end as change
    from ended left join changed on changed.device_id = ended.device_id`
  return await runInLane(sql, bucketOf(lost[0]!.device_id), statement)
}

export interface StatusChange {
  device_id: string
  /** The order of a device's changes. */
  number: number
  device_number: number
  status: string
  previous: string
  at: Date
  traceparent: string | null
}

/**
 * Of changes that wait to be published: the last two bits of the bucket. Few, since a statement that changes
 * neighbouring devices costs less.
 */
export const changePartitions: readonly number[] = Array.from({ length: 4 }, (_, partition) => partition)

/** The changes in these partitions, in order of device and those of a device in order, behind a device. */
export async function listStatusChanges(
  sql: Sql,
  { locked, after, limit }: { locked: readonly number[]; after: string | null; limit: number },
): Promise<StatusChange[]> {
  const which = locked.length === 1 ? sql`= ${locked[0]!}::int` : sql`= any(${[...locked]}::int[])`
  // The 3 is no parameter, so that the index by partition serves this under any plan.
  return await sql<StatusChange[]>`
    select device_id, number, device_number, status, previous, at, traceparent from status_changes
    where (bucket & 3) ${which} and ${inReach(sql)} ${after === null ? sql`` : sql`and device_id > ${after}`}
    order by device_id, number limit ${limit}`
}

/** Moves them to the status history. A change that is there already was moved by a transaction that was cut off. */
export async function moveToHistory(sql: Sql, changes: readonly StatusChange[]): Promise<void> {
  const buckets = changes.map(({ device_id }) => bucketOf(device_id))
  const inserted = sql`
    insert into status_history (bucket, device_number, at, number, status, previous)
    select * from unnest(
      ${buckets}::smallint[],
      ${changes.map(({ device_number }) => device_number)}::int[],
      ${changes.map(({ at }) => at)}::timestamptz[],
      ${changes.map(({ number }) => number)}::int[],
      ${changes.map(({ status }) => status)}::text[],
      ${changes.map(({ previous }) => previous)}::text[]
    )
    on conflict do nothing`
  await concerning(sql, buckets, inserted)
  await sql`
    delete from status_changes change using unnest(
      ${buckets}::smallint[],
      ${changes.map(({ device_id }) => device_id)}::uuid[],
      ${changes.map(({ number }) => number)}::int[]
    ) as moved (bucket, device_id, number)
    where change.bucket = moved.bucket and change.device_id = moved.device_id and change.number = moved.number
      ${inBuckets(
        sql,
        sql`change`,
        changes.map(({ device_id }) => device_id),
      )}`
}

/**
 * The devices whose deadline has passed, the oldest first. One Postgres locks them for the transaction, and leaves out
 * those that another process has; a distributed database cannot lock rows of several shards by a limit.
 */
export async function listDue(sql: Sql, now: Date, max: number): Promise<string[]> {
  const rows = await sql<{ device_id: string }[]>`
    select device_id from offline_deadlines where due_at <= ${now} and ${inReach(sql)} order by due_at limit ${max}
    ${sql.shards ? sql`` : sql`for update skip locked`}`
  return rows.map(({ device_id }) => device_id)
}

/** A device and after how many seconds of silence it is offline; null for one that no longer exists. */
export interface Threshold {
  device_id: string
  seconds: number | null
}

/**
 * Checks devices of one lane whose deadline has passed: those that sent telemetry since get a new deadline, the others
 * become offline at the instant it passed. A device whose state is locked is sending telemetry now: it stays due, and no
 * statement waits for another. Returns how many were checked, and those that became offline.
 */
export async function settleDeadlines(
  sql: Sql,
  thresholds: readonly Threshold[],
  now: Date,
): Promise<{ checked: number; changes: NumberedStatus[] | null }> {
  const statement = sql<[{ checked: number; changes: NumberedStatus[] | null }]>`
    with due as materialized (
      select wanted.bucket, wanted.device_id, wanted.seconds
      from unnest(
        ${thresholds.map(({ device_id }) => bucketOf(device_id))}::smallint[],
        ${thresholds.map(({ device_id }) => device_id)}::uuid[],
        ${thresholds.map(({ seconds }) => seconds)}::int[]
      ) as wanted (bucket, device_id, seconds)
      join offline_deadlines deadline on deadline.bucket = wanted.bucket and deadline.device_id = wanted.device_id
      where deadline.due_at <= ${now}
      for update of deadline skip locked
    ), checked as materialized (
      select state.bucket, state.device_id, state.status,
        case when state.removed_at is null and state.status in ('online', 'error')
          then state.seen_at + make_interval(secs => due.seconds) end as silent_at
      from due
      join device_states state on state.bucket = due.bucket and state.device_id = due.device_id
      order by state.device_id
      for update of state skip locked
    ), changed as (
      update device_states state set status = 'offline', status_at = greatest(state.status_at, checked.silent_at),
        status_number = state.status_number + 1
      from checked
      where state.bucket = checked.bucket and state.device_id = checked.device_id and checked.silent_at <= ${now}
      returning state.bucket, state.device_id, state.number as device_number, checked.status as previous,
        state.status_at, state.status_number
    ), recorded as (
      insert into status_changes (bucket, device_id, number, device_number, status, previous, at)
      select bucket, device_id, status_number, device_number, 'offline', previous, status_at from changed
    ), postponed as (
      update offline_deadlines deadline set due_at = checked.silent_at
      from checked
      where deadline.bucket = checked.bucket and deadline.device_id = checked.device_id and checked.silent_at > ${now}
    ), deleted as (
      delete from offline_deadlines deadline using checked
      where deadline.bucket = checked.bucket and deadline.device_id = checked.device_id
        and (checked.silent_at is null or checked.silent_at <= ${now})
    )
    select count(*)::int as checked, (
      select json_agg(json_build_object(
        'device_id', device_id, 'status', 'offline', 'number', status_number,
        'at', floor(extract(epoch from status_at) * 1000)::bigint
      )) from changed
    ) as changes
    from checked`
  const [row] = await runInLane(sql, bucketOf(thresholds[0]!.device_id), statement)
  return row
}

/** Makes the deadlines of these devices due: the threshold of their model may have become shorter. */
export async function rearmDeadlines(sql: Sql, deviceIds: string[], at: Date): Promise<void> {
  await sql`
    update offline_deadlines deadline set due_at = ${at} from ${wantedDevices(sql, deviceIds)}
    where deadline.bucket = wanted.bucket and deadline.device_id = wanted.device_id and deadline.due_at > ${at}
      ${inBuckets(sql, sql`deadline`, deviceIds)}`
}

export async function deleteDeadlines(sql: Sql, deviceIds: string[]): Promise<void> {
  await sql`
    delete from offline_deadlines deadline using ${wantedDevices(sql, deviceIds)}
    where deadline.bucket = wanted.bucket and deadline.device_id = wanted.device_id
      ${inBuckets(sql, sql`deadline`, deviceIds)}`
}

/** How long the oldest deadline that is due has waited, in seconds; 0 when none is due. */
export async function findDeadlineLag(sql: Sql, now: Date, signal: AbortSignal): Promise<number> {
  const [row] = await cancelWhen(
    signal,
    sql<[{ due_at: Date | null }]>`select min(due_at) as due_at from offline_deadlines where ${inReach(sql)}`,
  )
  return row.due_at === null ? 0 : Math.max(0, (now.getTime() - row.due_at.getTime()) / 1000)
}
