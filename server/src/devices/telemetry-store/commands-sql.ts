import type { Fragment, Sql } from '../../platform/database/sql.ts'
import { bucketOf } from '../bucket.ts'
import { wantedCommands, wantedDevices } from './devices-wanted.ts'
import { byLane, inBuckets, inReach, runInLane } from './lanes.ts'

/** How often a command is handed out without a report before nobody knows what became of it. */
const maxAttempts = 5
/** After which the poll over a fleet gets a command again that it did not acknowledge. */
const fleetSeconds = 60

/** By the database's clock, in milliseconds, as instants are returned: nothing is handed out after `expires_at`. */
const clock = (sql: Sql) => sql`(select date_trunc('milliseconds', clock_timestamp()) as at) clock`

/** The same as one value, by which an index can be searched. */
const instant = (sql: Sql) => sql`(select at from ${clock(sql)})`

/** As the partial indexes have it. */
const waits = (sql: Sql, command: Fragment) => sql`${command}.state in ('queued', 'sent', 'in_progress')`

/** How a command reaches the device: by its own poll, at its SUBSCRIBE, after a notification, or by its partner's cloud. */
export type CommandWay = 'poll' | 'subscribe' | 'notice' | 'fleet'

/** Of these devices, those with a command that waits. */
export async function listWithCommand(sql: Sql, deviceIds: readonly string[]): Promise<string[]> {
  const rows = await sql<{ device_id: string }[]>`
    select state.device_id from ${wantedDevices(sql, deviceIds)}
    join device_states state on state.bucket = wanted.bucket and state.device_id = wanted.device_id
      ${inBuckets(sql, sql`state`, deviceIds)}
    where state.has_command and state.removed_at is null`
  return rows.map(({ device_id }) => device_id)
}

/** Of these devices, locks the states of those that no other transaction has, and returns them. */
export async function lockFreeStates(sql: Sql, deviceIds: readonly string[]): Promise<string[]> {
  const locked: string[] = []
  for (const ids of byLane(sql, deviceIds, (id) => id)) {
    const rows = await sql<{ device_id: string }[]>`
      select state.device_id from ${wantedDevices(sql, ids)}
      join device_states state on state.bucket = wanted.bucket and state.device_id = wanted.device_id
        ${inBuckets(sql, sql`state`, ids)}
      order by state.device_id for update of state skip locked`
    locked.push(...rows.map(({ device_id }) => device_id))
  }
  return locked
}

export interface SettledCommand {
  id: string
  device_id: string
  customer_id: string
  partner_id: string
  name: string
  state: 'queued' | 'expired' | 'unknown'
}

/**
 * Of devices whose states are locked, ends what is due: commands expire, are queued again, or nobody knows what became
 * of them. `again` when the first is about to be handed out once more.
 */
export async function settleCommands(
  sql: Sql,
  deviceIds: readonly string[],
  { again = false } = {},
): Promise<SettledCommand[]> {
  const settled: SettledCommand[] = []
  for (const ids of byLane(sql, deviceIds, (id) => id)) {
    const statement = sql<SettledCommand[]>`
      with due as materialized (
        select command.bucket, command.device_id, command.number, clock.at,
          case when command.state <> 'in_progress' and command.expires_at <= clock.at then 'expired'
            when command.state = 'in_progress' or command.attempts >= ${maxAttempts} then 'unknown'
            else 'queued' end as state
        from ${wantedDevices(sql, ids)}
        join device_commands command on command.bucket = wanted.bucket and command.device_id = wanted.device_id
          ${inBuckets(sql, sql`command`, ids)}
        cross join ${clock(sql)}
        where ${waits(sql, sql`command`)} and (command.due_at <= clock.at
          or (${again} and command.head and command.state = 'sent' and command.attempts >= ${maxAttempts}))
      )
      update device_commands command set state = due.state, head = command.head and due.state = 'queued',
        due_at = case when due.state = 'queued' then command.expires_at end,
        finished_at = case when due.state = 'expired' then due.at end,
        sealed = case when due.state = 'queued' then command.sealed end
      from due
      where command.bucket = due.bucket and command.device_id = due.device_id and command.number = due.number
      returning command.id, command.device_id, command.customer_id, command.partner_id, command.name, command.state`
    settled.push(...(await runInLane(sql, bucketOf(ids[0]!), statement)))
  }
  return settled
}

export interface CommandHead {
  id: string
  device_id: string
  partner_id: string
  expires_at: Date
}

/**
 * Of devices whose states are locked, makes the first command that waits the head, and says in the state whether there
 * is one. Returns those that became it now.
 */
export async function refreshHeads(sql: Sql, deviceIds: readonly string[]): Promise<CommandHead[]> {
  const heads: CommandHead[] = []
  for (const ids of byLane(sql, deviceIds, (id) => id)) {
    const statement = sql<CommandHead[]>`
      with first as materialized (
        select wanted.bucket, wanted.device_id, waiting.number
        from ${wantedDevices(sql, ids)}
        left join lateral (
          select command.number from device_commands command
          where command.bucket = wanted.bucket and command.device_id = wanted.device_id
            and ${waits(sql, sql`command`)}
          order by command.number limit 1
        ) waiting on true
      ), flagged as (
        update device_states state set has_command = first.number is not null
        from first where state.bucket = first.bucket and state.device_id = first.device_id
          and state.has_command <> (first.number is not null)
      )
      update device_commands command set head = true
      from first
      where command.bucket = first.bucket and command.device_id = first.device_id and command.number = first.number
        and not command.head
      returning command.id, command.device_id, command.partner_id, command.expires_at`
    heads.push(...(await runInLane(sql, bucketOf(ids[0]!), statement)))
  }
  return heads.map((head) => ({ ...head, expires_at: new Date(head.expires_at) }))
}

/** A command as it is handed out, with its secret parameters still sealed. */
export interface TakenCommand {
  id: string
  device_id: string
  name: string
  parameters: Record<string, unknown>
  /** As hexadecimal digits. */
  sealed: string | null
  state: 'sent' | 'in_progress'
  created_at: Date
  expires_at: Date
  attempts: number
  /** Whether it was `queued` before. */
  is_new: boolean
}

/** Hands the heads of devices out whose states are locked, and whose commands are settled. */
export async function takeHeads(sql: Sql, deviceIds: readonly string[], way: CommandWay): Promise<TakenCommand[]> {
  const taken: TakenCommand[] = []
  const takes = {
    poll: sql`true`,
    subscribe: sql`true`,
    notice: sql`command.state = 'queued'`,
    fleet: sql`(command.state = 'queued' or ${isOverdueAtFleet(sql, sql`clock.at`)})`,
  }
  for (const ids of byLane(sql, deviceIds, (id) => id)) {
    const statement = sql<TakenCommand[]>`
      with taken as materialized (
        select command.bucket, command.device_id, command.number, command.state, clock.at
        from ${wantedDevices(sql, ids)}
        join device_commands command on command.bucket = wanted.bucket and command.device_id = wanted.device_id
          ${inBuckets(sql, sql`command`, ids)}
        cross join ${clock(sql)}
        where ${waits(sql, sql`command`)} and command.head and command.expires_at > clock.at and ${takes[way]}
      )
      update device_commands command set attempts = command.attempts + 1, way = ${way}, sent_at = taken.at,
        state = case taken.state when 'queued' then 'sent' else taken.state end,
        delivered_at = ${deliveredAt(sql, way)},
        due_at = case when taken.state = 'in_progress' then command.due_at
          else least(command.expires_at, taken.at + make_interval(secs => command.timeout_seconds)) end
      from taken
      where command.bucket = taken.bucket and command.device_id = taken.device_id and command.number = taken.number
      returning command.id, command.device_id, command.name, command.parameters, encode(command.sealed, 'hex') as sealed,
        command.state, command.created_at, command.expires_at, command.attempts, taken.state = 'queued' as is_new`
    taken.push(...(await runInLane(sql, bucketOf(ids[0]!), statement)))
  }
  return taken.map((row) => ({
    ...row,
    created_at: new Date(row.created_at),
    expires_at: new Date(row.expires_at),
  }))
}

/** A poll has it with the response. A cloud confirms each hand-out: what it confirmed before its timeout says nothing now. */
function deliveredAt(sql: Sql, way: CommandWay): Fragment {
  if (way === 'fleet') return sql`null`
  return way === 'poll' ? sql`coalesce(command.delivered_at, taken.at)` : sql`command.delivered_at`
}

function isOverdueAtFleet(sql: Sql, now: Fragment): Fragment {
  return sql`(command.state = 'sent' and command.way = 'fleet' and command.delivered_at is null
    and command.attempts < ${maxAttempts} and command.sent_at <= ${now} - make_interval(secs => ${fleetSeconds}))`
}

/** Devices of a partner whose first command its cloud may take, the longest waiting first. */
export async function listForFleet(sql: Sql, partnerId: string, limit: number): Promise<string[]> {
  const rows = await sql<{ device_id: string }[]>`
    select device_id from (
      (select command.device_id, command.id from device_commands command cross join ${clock(sql)}
        where command.partner_id = ${partnerId} and command.head and command.state = 'queued'
          and command.expires_at > clock.at and ${inReach(sql, sql`command.`)}
        order by command.id limit ${limit})
      union all
      (select command.device_id, command.id from device_commands command
        where command.partner_id = ${partnerId} and command.head and command.expires_at > ${instant(sql)}
          and ${isOverdueAtFleet(sql, instant(sql))} and ${inReach(sql, sql`command.`)}
        order by command.sent_at limit ${limit})
    ) waiting order by id limit ${limit}`
  return rows.map(({ device_id }) => device_id)
}

/** Devices with a command that is due, the longest due first. */
export async function listDueCommands(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql<{ device_id: string }[]>`
    select command.device_id from device_commands command
    where command.due_at <= ${instant(sql)} and ${inReach(sql, sql`command.`)} order by command.due_at limit ${limit}`
  return [...new Set(rows.map(({ device_id }) => device_id))]
}

export async function findNextCommandDue(sql: Sql): Promise<Date | null> {
  const [row] = await sql<{ due_at: Date }[]>`
    select due_at from device_commands where due_at is not null and ${inReach(sql)} order by due_at limit 1`
  return row?.due_at ?? null
}

/** What is known of commands before their devices are locked. */
export async function findCommandOwners(sql: Sql, ids: readonly string[]) {
  return await sql<{ id: string; device_id: string; partner_id: string }[]>`
    select command.id, command.device_id, command.partner_id from ${wantedCommands(sql, ids)}
    join device_commands command on command.bucket = wanted.bucket and command.id = wanted.id
      ${inBuckets(sql, sql`command`, ids)}`
}

/** The first command of each device that waits. */
export async function findHeads(sql: Sql, deviceIds: readonly string[]): Promise<{ id: string; device_id: string }[]> {
  return await sql<{ id: string; device_id: string }[]>`
    select command.id, command.device_id from ${wantedDevices(sql, deviceIds)}
    join device_commands command on command.bucket = wanted.bucket and command.device_id = wanted.device_id
      ${inBuckets(sql, sql`command`, deviceIds)}
    where command.head and ${waits(sql, sql`command`)}`
}
