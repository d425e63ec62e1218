import { concerning, type Fragment, type Sql } from '../../platform/database/sql.ts'
import { bucketOf } from '../bucket.ts'
import { wantedCommands, wantedDevices } from './devices-wanted.ts'
import { byLane, inBuckets, runInLane } from './lanes.ts'

const clock = (sql: Sql) => sql`(select date_trunc('milliseconds', clock_timestamp()) as at) clock`

/** More than may wait for a device. */
const mostWaiting = 1_000

export type CommandSource = 'portal' | 'application' | 'api_key'

/** A command as it is stored, without what is sealed. */
export interface CommandRow {
  id: string
  device_id: string
  partner_id: string
  customer_id: string
  name: string
  label: string | null
  parameters: Record<string, unknown>
  secret: string[]
  state: 'queued' | 'sent' | 'in_progress' | 'done' | 'failed' | 'rejected' | 'expired' | 'unknown' | 'canceled'
  source: CommandSource
  created_by: { kind: string; id: string; name: string | null } | null
  batch_id: string | null
  created_at: Date
  expires_at: Date
  attempts: number
  sent_at: Date | null
  delivered_at: Date | null
  started_at: Date | null
  finished_at: Date | null
  message: string | null
  result: unknown
}

export const commandColumns = (sql: Sql): Fragment => sql`
  command.id, command.device_id, command.partner_id, command.customer_id, command.name, command.label,
  command.parameters, command.secret, command.state, command.source, command.created_by, command.batch_id, command.created_at,
  command.expires_at, command.attempts, command.sent_at, command.delivered_at, command.started_at, command.finished_at,
  command.message, command.result`

const instants = ['created_at', 'expires_at', 'sent_at', 'delivered_at', 'started_at', 'finished_at'] as const

/** On a distributed database rows come as JSON (`runInLane`). */
function withInstants(row: CommandRow): CommandRow {
  const dates = instants.map((name) => [name, row[name] === null ? null : new Date(row[name])])
  return { ...row, ...Object.fromEntries(dates) }
}

export async function findCommand(sql: Sql, id: string): Promise<CommandRow | undefined> {
  const bucket = bucketOf(id)
  const statement = sql<CommandRow[]>`
    select ${commandColumns(sql)} from device_commands command
    where command.bucket = ${bucket}::smallint and command.id = ${id}`
  const [row] = await concerning(sql, [bucket], statement)
  return row
}

/** In no order. */
export async function findCommands(sql: Sql, ids: readonly string[]): Promise<CommandRow[]> {
  return await sql<CommandRow[]>`
    select ${commandColumns(sql)} from ${wantedCommands(sql, ids)}
    join device_commands command on command.bucket = wanted.bucket and command.id = wanted.id
      ${inBuckets(sql, sql`command`, ids)}`
}

export interface CommandRoom {
  device_id: string
  status: string
  customer_id: string | null
  waiting: number
}

/** Of devices whose states are locked and that are not removed: whether they take another command. */
export async function readCommandRoom(sql: Sql, deviceIds: readonly string[]): Promise<CommandRoom[]> {
  const rooms: CommandRoom[] = []
  for (const ids of byLane(sql, deviceIds, (id) => id)) {
    const statement = sql<CommandRoom[]>`
      select state.device_id, state.status, state.customer_id, (
        select count(*)::int from device_commands command
        where command.bucket = state.bucket and command.device_id = state.device_id
          and command.state in ('queued', 'sent', 'in_progress')
      ) as waiting
      from ${wantedDevices(sql, ids)}
      join device_states state on state.bucket = wanted.bucket and state.device_id = wanted.device_id
        ${inBuckets(sql, sql`state`, ids)}
      where state.removed_at is null`
    rooms.push(...(await runInLane(sql, bucketOf(ids[0]!), statement)))
  }
  return rooms
}

/** What commands of one request for devices of one model have in common. */
export interface CommandVariant {
  name: string
  batch_id: string | null
  label: string | null
  parameters: Record<string, unknown>
  secret: string[]
  sealed: Buffer | null
  expires_after: number
  timeout: number
}

export interface NewCommand {
  id: string
  device_id: string
  partner_id: string
  /** Whether nothing waits before it. */
  head: boolean
  /** The index of its variant. */
  variant: number
}

export interface CommandOrigin {
  customer_id: string
  source: CommandSource
  created_by: CommandRow['created_by']
  client_id: string | null
}

/** One command each for devices whose states are locked. */
export async function insertCommands(
  sql: Sql,
  commands: readonly NewCommand[],
  variants: readonly CommandVariant[],
  { customer_id, source, created_by, client_id }: CommandOrigin,
): Promise<CommandRow[]> {
  const inserted: CommandRow[] = []
  for (const ofLane of byLane(sql, commands, ({ device_id }) => device_id)) {
    const statement = sql<CommandRow[]>`
      with wanted as materialized (
        select * from unnest(
          ${ofLane.map(({ device_id }) => bucketOf(device_id))}::smallint[],
          ${ofLane.map(({ device_id }) => device_id)}::uuid[],
          ${ofLane.map(({ id }) => id)}::uuid[],
          ${ofLane.map(({ partner_id }) => partner_id)}::uuid[],
          ${ofLane.map(({ head }) => head)}::boolean[],
          ${ofLane.map(({ variant }) => variant + 1)}::int[]
        ) as wanted (bucket, device_id, id, partner_id, head, variant)
      ), variant as materialized (
        select name, batch_id, label, parameters::jsonb, secret::jsonb, decode(sealed, 'hex') as sealed, expires_after,
          timeout, position
        from unnest(
          ${variants.map(({ name }) => name)}::text[],
          ${variants.map(({ batch_id }) => batch_id)}::uuid[],
          ${variants.map(({ label }) => label)}::text[],
          ${variants.map(({ parameters }) => JSON.stringify(parameters))}::text[],
          ${variants.map(({ secret }) => JSON.stringify(secret))}::text[],
          ${variants.map(({ sealed }) => sealed?.toString('hex') ?? null)}::text[],
          ${variants.map(({ expires_after }) => expires_after)}::int[],
          ${variants.map(({ timeout }) => timeout)}::int[]
        ) with ordinality as variant (name, batch_id, label, parameters, secret, sealed, expires_after, timeout, position)
      ), numbered as (
        update device_states state set command_number = state.command_number + 1, has_command = true
        from wanted where state.bucket = wanted.bucket and state.device_id = wanted.device_id
        returning state.bucket, state.device_id, state.command_number
      )
      insert into device_commands as command (bucket, device_id, number, id, partner_id, customer_id, name, label,
        parameters, secret, sealed, state, head, source, created_by, client_id, batch_id, created_at, expires_at, timeout_seconds, due_at)
      select numbered.bucket, numbered.device_id, numbered.command_number, wanted.id, wanted.partner_id, ${customer_id}::uuid,
        variant.name, variant.label, variant.parameters, array(select jsonb_array_elements_text(variant.secret)), variant.sealed, 'queued',
        wanted.head, ${source}::text, ${created_by === null ? null : JSON.stringify(created_by)}::text::jsonb,
        ${client_id}::uuid, variant.batch_id, clock.at,
        clock.at + make_interval(secs => variant.expires_after), variant.timeout,
        clock.at + make_interval(secs => variant.expires_after)
      from numbered
      join wanted on wanted.bucket = numbered.bucket and wanted.device_id = numbered.device_id
      join variant on variant.position = wanted.variant
      cross join ${clock(sql)}
      returning ${commandColumns(sql)}`
    inserted.push(...(await runInLane(sql, bucketOf(ofLane[0]!.device_id), statement)))
  }
  return inserted.map(withInstants)
}

export interface CommandChange {
  id: string
  /** Null: only the message is kept, of a command that is no longer expected to end. */
  state: 'in_progress' | 'done' | 'failed' | 'rejected' | null
  message: string | null
  /** The text of JSON. */
  result: string | null
}

/**
 * What was reported of commands whose devices are locked. Of progress, the first instant is kept and the timeout starts
 * again.
 */
export async function updateReported(sql: Sql, changes: readonly CommandChange[]): Promise<void> {
  for (const ofLane of byLane(sql, changes, ({ id }) => id)) {
    const statement = sql`
      with report as materialized (
        select bucket, id, state, state <> 'in_progress' as final, message, result::jsonb
        from unnest(
          ${ofLane.map(({ id }) => bucketOf(id))}::smallint[], ${ofLane.map(({ id }) => id)}::uuid[],
          ${ofLane.map(({ state }) => state)}::text[], ${ofLane.map(({ message }) => message)}::text[],
          ${ofLane.map(({ result }) => result)}::text[]
        ) as report (bucket, id, state, message, result)
      )
      update device_commands command set message = report.message, state = coalesce(report.state, command.state),
        head = command.head and report.final is not true,
        result = case when report.final then report.result else command.result end,
        sealed = case when report.final then null else command.sealed end,
        started_at = case when not report.final then coalesce(command.started_at, clock.at) else command.started_at end,
        delivered_at = case when report.state is null then command.delivered_at
          else coalesce(command.delivered_at, clock.at) end,
        due_at = case when not report.final then clock.at + make_interval(secs => command.timeout_seconds)
          when report.final then null else command.due_at end,
        finished_at = case when report.final then clock.at else command.finished_at end
      from report cross join ${clock(sql)}
      where command.bucket = report.bucket and command.id = report.id`
    await runInLane(sql, bucketOf(ofLane[0]!.id), statement)
  }
}

export interface CanceledCommand {
  id: string
  device_id: string
  customer_id: string
  name: string
}

/** What a client has queued until an instant, of one customer or of all. */
export interface OfClient {
  client_id: string
  customer_id: string | null
  until: Date
}

/** Cancels commands of devices whose states are locked: all that wait, or those that `which` names. */
export async function cancelCommands(
  sql: Sql,
  deviceIds: readonly string[],
  which: { id: string } | OfClient | 'waiting',
): Promise<CanceledCommand[]> {
  const canceled: CanceledCommand[] = []
  const named =
    which === 'waiting'
      ? sql`command.state in ('queued', 'sent', 'in_progress')`
      : 'id' in which
        ? sql`command.id = ${which.id} and command.state = 'queued'`
        : sql`command.client_id = ${which.client_id} and command.created_at <= ${which.until}
            and (${which.customer_id}::uuid is null or command.customer_id = ${which.customer_id}) and command.state = 'queued'`
  for (const ids of byLane(sql, deviceIds, (id) => id)) {
    // What waits for each device first: an index of the client, or of the state, would be read once per device.
    const statement = sql<CanceledCommand[]>`
      with named as materialized (
        select wanted.bucket, wanted.device_id, command.number
        from ${wantedDevices(sql, ids)}
        cross join lateral (
          select * from device_commands waiting
          where waiting.bucket = wanted.bucket and waiting.device_id = wanted.device_id
            and waiting.state in ('queued', 'sent', 'in_progress')
          order by waiting.number limit ${mostWaiting}
        ) command
        where ${named}
      )
      update device_commands command set state = 'canceled', head = false, sealed = null, due_at = null,
        finished_at = clock.at
      from named cross join ${clock(sql)}
      where command.bucket = named.bucket and command.device_id = named.device_id and command.number = named.number
        ${inBuckets(sql, sql`command`, ids)}
      returning command.id, command.device_id, command.customer_id, command.name`
    canceled.push(...(await runInLane(sql, bucketOf(ids[0]!), statement)))
  }
  return canceled
}

/** Of devices whose states are locked. */
export async function setDelivered(sql: Sql, commands: readonly { id: string; device_id: string }[]): Promise<void> {
  for (const ofLane of byLane(sql, commands, ({ device_id }) => device_id)) {
    const statement = sql`
      update device_commands command set delivered_at = clock.at
      from unnest(${ofLane.map(({ id }) => bucketOf(id))}::smallint[], ${ofLane.map(({ id }) => id)}::uuid[]) as wanted (bucket, id)
      cross join ${clock(sql)}
      where command.bucket = wanted.bucket and command.id = wanted.id and command.delivered_at is null
        and command.attempts > 0`
    await runInLane(sql, bucketOf(ofLane[0]!.device_id), statement)
  }
}
