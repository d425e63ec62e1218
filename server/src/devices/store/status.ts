import type { Sql } from '../../platform/database/sql.ts'

/**
 * Sets the devices of lost connections offline where the connection was still the current one, and returns those. The
 * row is locked, so that a new connection comes either before, and nothing happens, or after.
 */
export async function setLostOffline(sql: Sql, lost: readonly { device_id: string; number: number }[], at: Date) {
  return await sql<{ device_id: string; number: number; status_changed: boolean }[]>`
    with ended as materialized (
      select current.device_id, lost.number from device_connections current
      join unnest(
        ${lost.map(({ device_id }) => device_id)}::uuid[], ${lost.map(({ number }) => number)}::float8[]
      ) as lost (device_id, number) on lost.device_id = current.device_id and lost.number = current.number
      order by current.device_id
      for update of current
    ), before as materialized (
      select state.device_id, state.status from device_states state join ended using (device_id)
      where state.status in ('online', 'error') and state.removed_at is null
      order by state.device_id
      for update of state
    ), changed as (
      update device_states state set status = 'offline'
      from before where state.device_id = before.device_id
      returning state.device_id, before.status as previous
    ), device_row as (
      update devices set status = 'offline', status_at = ${at} from changed where id = changed.device_id
    ), recorded as (
      insert into status_changes (device_id, status, previous, at)
      select device_id, 'offline', previous, ${at} from changed
    )
    select device_id, number, device_id in (select device_id from changed) as status_changed from ended`
}

/**
 * Checks the devices whose deadline has passed: those that sent telemetry since get a new deadline, the others become
 * offline at the instant it passed. A device whose state is locked is sending telemetry now: it stays due, and no
 * statement waits for another. Returns how many were checked, and how many became offline.
 */
export async function settleDeadlines(sql: Sql, now: Date, max: number): Promise<{ checked: number; offline: number }> {
  const [row] = await sql<[{ checked: number; offline: number }]>`
    with due as materialized (
      select device_id from offline_deadlines where due_at <= ${now}
      order by due_at limit ${max}
      for update skip locked
    ), checked as materialized (
      select state.device_id, state.status,
        case when state.removed_at is null and state.status in ('online', 'error')
          then state.seen_at + make_interval(secs => model.offline_after_seconds) end as silent_at
      from due
      join device_states state using (device_id)
      join devices device on device.id = state.device_id
      join models model on model.id = device.model_id
      order by state.device_id
      for update of state skip locked
    ), changed as (
      update device_states state set status = 'offline'
      from checked where state.device_id = checked.device_id and checked.silent_at <= ${now}
      returning state.device_id, checked.status as previous, checked.silent_at
    ), device_row as (
      update devices set status = 'offline', status_at = changed.silent_at from changed where id = changed.device_id
    ), recorded as (
      insert into status_changes (device_id, status, previous, at)
      select device_id, 'offline', previous, silent_at from changed
    ), postponed as (
      update offline_deadlines deadline set due_at = checked.silent_at
      from checked where deadline.device_id = checked.device_id and checked.silent_at > ${now}
    ), deleted as (
      delete from offline_deadlines deadline using checked
      where deadline.device_id = checked.device_id and (checked.silent_at is null or checked.silent_at <= ${now})
    )
    select count(*)::int as checked, (select count(*)::int from changed) as offline from checked`
  return row
}

export interface StatusChange {
  device_id: string
  status: string
  previous: string
  at: Date
  partner_id: string
  model_id: string
  mac: string
  sn: string
  customer_id: string | null
  traceparent: string | null
}

/**
 * Moves the oldest changes to the status history, and returns them with what their events need. A message that arrived
 * before its device's deadline may be stored after it; in the history no change is earlier than the one before it.
 */
export async function takeStatusChanges(sql: Sql, max: number): Promise<StatusChange[]> {
  return await sql<StatusChange[]>`
    with taken as (
      delete from status_changes where id = any(array(select id from status_changes order by id limit ${max}))
      returning id, device_id, status, previous, at, traceparent
    ), change as (
      select taken.*, device.number, device.partner_id, device.model_id, device.mac, device.sn,
        case when device.removed_at is null then device.customer_id end as customer_id
      from taken join devices device on device.id = taken.device_id
    ), recorded as (
      insert into status_history (device_number, at, id, status, previous)
      select number, greatest(
        max(at) over (partition by number order by id),
        (select max(earlier.at) from status_history earlier where earlier.device_number = change.number)
      ), id, status, previous
      from change
    )
    select device_id, status, previous, at, traceparent, partner_id, model_id, mac, sn, customer_id
    from change order by id`
}

/** Makes every deadline of a model due: its threshold may have become shorter. */
export async function rearmDeadlines(sql: Sql, modelId: string, at: Date): Promise<void> {
  await sql`
    update offline_deadlines deadline set due_at = ${at}
    from devices device
    where device.model_id = ${modelId} and device.removed_at is null and deadline.device_id = device.id
      and deadline.due_at > ${at}`
}
