import type { Sql } from '../../platform/database/sql.ts'

export interface TurnedDevice {
  device_id: string
  status: string
  previous: string
  at: Date
}

/**
 * Turns the devices of lost connections offline, where the connection was still the current one: the row is locked, so
 * that a new connection comes either before, and nothing happens, or after. Answers those that were.
 */
export async function turnLostOffline(
  sql: Sql,
  lost: readonly { device_id: string; number: number }[],
  at: Date,
): Promise<{ device_id: string; number: number }[]> {
  return await sql<{ device_id: string; number: number }[]>`
    with gone as materialized (
      select current.device_id, lost.number from device_connections current
      join unnest(
        ${lost.map(({ device_id }) => device_id)}::uuid[], ${lost.map(({ number }) => number)}::float8[]
      ) as lost (device_id, number) on lost.device_id = current.device_id and lost.number = current.number
      order by current.device_id
      for update of current
    ), before as materialized (
      select state.device_id, state.status from device_states state join gone using (device_id)
      where state.status in ('online', 'error') and state.removed_at is null
      order by state.device_id
      for update of state
    ), turned as (
      update device_states state set status = 'offline'
      from before where state.device_id = before.device_id
      returning state.device_id, before.status as previous
    ), shown as (
      update devices set status = 'offline', status_at = ${at} from turned where id = turned.device_id
    ), noted as (
      insert into status_changes (device_id, status, previous, at)
      select device_id, 'offline', previous, ${at} from turned
    )
    select device_id, number from gone`
}

/**
 * Looks again at the devices whose deadline has come: those that have spoken since get a new one, the others turn
 * offline at the instant it was due. A device whose state is locked is speaking this very moment: it stays due, and
 * nobody waits for anybody. Answers how many were looked at.
 */
export async function settleDeadlines(sql: Sql, now: Date, max: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    with due as materialized (
      select device_id from offline_deadlines where due_at <= ${now}
      order by due_at limit ${max}
      for update skip locked
    ), looked as materialized (
      select state.device_id, state.status,
        case when state.removed_at is null and state.status in ('online', 'error')
          then state.seen_at + make_interval(secs => model.offline_after_seconds) end as silent_at
      from due
      join device_states state using (device_id)
      join devices device on device.id = state.device_id
      join models model on model.id = device.model_id
      order by state.device_id
      for update of state skip locked
    ), turned as (
      update device_states state set status = 'offline'
      from looked where state.device_id = looked.device_id and looked.silent_at <= ${now}
      returning state.device_id, looked.status as previous, looked.silent_at
    ), shown as (
      update devices set status = 'offline', status_at = turned.silent_at from turned where id = turned.device_id
    ), noted as (
      insert into status_changes (device_id, status, previous, at)
      select device_id, 'offline', previous, silent_at from turned
    ), armed as (
      update offline_deadlines deadline set due_at = looked.silent_at
      from looked where deadline.device_id = looked.device_id and looked.silent_at > ${now}
    ), settled as (
      delete from offline_deadlines deadline using looked
      where deadline.device_id = looked.device_id and (looked.silent_at is null or looked.silent_at <= ${now})
    )
    select count(*)::int as count from looked`
  return row.count
}

/** The oldest changes not yet told, with what telling them takes; they are gone once the transaction commits. */
export async function takeStatusChanges(
  sql: Sql,
  max: number,
): Promise<
  (TurnedDevice & { partner_id: string; model_id: string; mac: string; sn: string; customer_id: string | null })[]
> {
  return await sql`
    with taken as (
      delete from status_changes where id = any(array(select id from status_changes order by id limit ${max}))
      returning id, device_id, status, previous, at
    )
    select taken.device_id, taken.status, taken.previous, taken.at,
      device.partner_id, device.model_id, device.mac, device.sn,
      case when device.removed_at is null then device.customer_id end as customer_id
    from taken join devices device on device.id = taken.device_id
    order by taken.id`
}

/** Looks again at every device of a model: its threshold may have become shorter than what was waited for. */
export async function rearmDeadlines(sql: Sql, modelId: string, at: Date): Promise<void> {
  await sql`
    update offline_deadlines deadline set due_at = ${at}
    from devices device
    where device.model_id = ${modelId} and device.removed_at is null and deadline.device_id = device.id
      and deadline.due_at > ${at}`
}
