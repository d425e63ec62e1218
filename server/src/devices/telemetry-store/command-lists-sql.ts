import {
  type Age,
  agedBefore,
  concerning,
  type Fragment,
  type PageRange,
  type Sql,
} from '../../platform/database/sql.ts'
import { bucketOf } from '../bucket.ts'
import { type CommandRow, commandColumns } from './command-changes-sql.ts'
import { wantedDevices } from './devices-wanted.ts'
import { inBuckets, inReach } from './lanes.ts'

/** Of one device, newest first. */
export async function listCommandsOfDevice(
  sql: Sql,
  { customer_id, device_id }: { customer_id: string; device_id: string },
  { after, limit }: PageRange,
): Promise<CommandRow[]> {
  const bucket = bucketOf(device_id)
  const statement = sql<CommandRow[]>`
    select ${commandColumns(sql)} from device_commands command
    where command.bucket = ${bucket}::smallint and command.device_id = ${device_id} and command.id < ${after}
      and command.customer_id = ${customer_id}
    order by command.id desc limit ${limit}`
  return await concerning(sql, [bucket], statement)
}

export interface CommandFilter {
  customer_id: string
  states?: readonly string[] | undefined
  batch_id?: string | undefined
}

/** Of all devices of a customer, newest first. Of each state a range of an index, merged. */
export async function listCommandsOfCustomer(
  sql: Sql,
  { customer_id, states, batch_id }: CommandFilter,
  { after, limit }: PageRange,
): Promise<CommandRow[]> {
  const batch = batch_id === undefined ? sql`` : sql`and command.batch_id = ${batch_id}`
  const page = (state: Fragment) => sql`
    select ${commandColumns(sql)} from device_commands command
    where command.customer_id = ${customer_id} ${batch} ${state} and command.id < ${after} and ${inReach(sql, sql`command.`)}
    order by command.id desc limit ${limit}`
  if (states === undefined && batch_id === undefined) return await sql<CommandRow[]>`${page(sql``)}`
  const wanted = states ?? allStates
  const pages = wanted.map((state) => sql`(${page(sql`and command.state = ${state}`)})`)
  const merged = pages.reduce((all, next) => sql`${all} union all ${next}`)
  return await sql<CommandRow[]>`select * from (${merged}) command order by command.id desc limit ${limit}`
}

const allStates = [
  'queued',
  'sent',
  'in_progress',
  'done',
  'failed',
  'rejected',
  'expired',
  'unknown',
  'canceled',
] as const

/** Of one batch, which has a thousand at most. */
export async function countCommandsOfBatch(
  sql: Sql,
  { customer_id, batch_id }: { customer_id: string; batch_id: string },
): Promise<{ state: CommandRow['state']; device_ids: string[] }[]> {
  return await sql<{ state: CommandRow['state']; device_ids: string[] }[]>`
    select command.state, array_agg(command.device_id) as device_ids from device_commands command
    where command.customer_id = ${customer_id} and command.batch_id = ${batch_id} and ${inReach(sql, sql`command.`)}
    group by command.state`
}

/** Of an application or an API key, at one customer or at all, from a device on. */
export interface QueuedByClient {
  client_id: string
  customer_id: string | null
  after_customer: string
  after_device: string
}

/** Devices for which it has queued a command, by customer and id. */
export async function listDevicesQueuedBy(
  sql: Sql,
  { client_id, customer_id, after_customer, after_device }: QueuedByClient,
  limit: number,
): Promise<{ customer_id: string; device_id: string }[]> {
  const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  // Two bounds, both of the index: it is read from the device on, and not beyond the customer.
  return await sql<{ customer_id: string; device_id: string }[]>`
    select distinct command.customer_id, command.device_id from device_commands command
    where command.client_id = ${client_id} and command.state = 'queued'
      and (command.customer_id, command.device_id) > (${after_customer}::uuid, ${after_device}::uuid)
      and command.customer_id <= ${customer_id ?? last}::uuid
    order by command.customer_id, command.device_id limit ${limit}`
}

/** The applications and API keys that have queued a command for one of these devices. */
export async function listClientsOfQueued(sql: Sql, deviceIds: readonly string[]): Promise<string[]> {
  const rows = await sql<{ client_id: string }[]>`
    select distinct command.client_id from ${wantedDevices(sql, deviceIds)}
    join device_commands command on command.bucket = wanted.bucket and command.device_id = wanted.device_id
      ${inBuckets(sql, sql`command`, deviceIds)}
    where command.state = 'queued' and command.client_id is not null`
  return rows.map(({ client_id }) => client_id)
}

/** Deletes about as many of the oldest as `max`, and returns how many; never one that waits. As `deleteOldStatuses`. */
export async function deleteOldCommands(sql: Sql, age: Age, max: number): Promise<number> {
  const [last] = await sql<{ at: Date }[]>`
    select created_at as at from device_commands
    where created_at < ${agedBefore(sql, age)} and ${inReach(sql)} order by created_at offset ${max - 1} limit 1`
  const { count } = await sql`
    delete from device_commands
    where created_at < ${agedBefore(sql, age)} and created_at <= coalesce(${last?.at ?? null}::timestamptz, 'infinity')
      and state not in ('queued', 'sent', 'in_progress') and ${inReach(sql)}`
  return count
}
