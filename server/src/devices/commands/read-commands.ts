import { newestFirst, type Page, type PageRequest, toPage } from '../../platform/http/pagination.ts'
import { found } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import { findDeviceNames, reachedDevices } from '../registry/device-names.ts'
import { type CustomerOwner, findDevice } from '../store/devices-sql.ts'
import * as telemetry from '../telemetry-store/telemetry-store.ts'
import { type CommandState, commandStates } from './command-states.ts'
import { findOwnCommand } from './own-command.ts'

/** A command as its customer reads it: without what is secret. */
export interface Command extends Omit<telemetry.CommandRow, 'partner_id' | 'customer_id'> {
  /** Null once the device is removed. */
  device_name: string | null
}

/** Secret parameters are null, and named. */
export async function describeCommands(
  context: Context,
  { customer_id }: CustomerOwner,
  rows: readonly telemetry.CommandRow[],
): Promise<Command[]> {
  const ids = [...new Set(rows.map(({ device_id }) => device_id))]
  const names = ids.length === 0 ? [] : await findDeviceNames(context, { customer_id }, ids)
  const byId = new Map(names.map(({ id, name }) => [id, name]))
  return rows.map(({ partner_id: _, customer_id: __, ...row }) => ({
    ...row,
    parameters: { ...row.parameters, ...Object.fromEntries(row.secret.map((key) => [key, null])) },
    device_name: byId.get(row.device_id) ?? null,
  }))
}

export async function describeCommand(
  context: Context,
  owner: CustomerOwner,
  row: telemetry.CommandRow,
): Promise<Command> {
  return (await describeCommands(context, owner, [row]))[0]!
}

/** Of a device that the owner reaches, newest first. */
export async function listCommandsOfDevice(
  context: Context,
  owner: CustomerOwner,
  deviceId: string,
  request: PageRequest,
): Promise<Page<Command>> {
  found(await findDevice(context.sql, owner, deviceId), 'device')
  const range = newestFirst(request)
  const { customer_id } = owner
  const rows = await telemetry.listCommandsOfDevice(context.sql, { customer_id, device_id: deviceId }, range)
  const { items, next } = toPage(rows, range, ({ id }) => id)
  return { items: await describeCommands(context, owner, items), next }
}

export interface CommandQuery extends PageRequest {
  states?: readonly CommandState[] | undefined
  batch_id?: string | undefined
}

/** Of whoever reaches some spaces only, so many are looked at for one page. */
const lookedAt = 500

/** Of all devices that the owner reaches, newest first. For whoever reaches some spaces only, a page may be short. */
export async function listCommands(
  context: Context,
  owner: CustomerOwner,
  { states, batch_id, ...request }: CommandQuery,
): Promise<Page<Command>> {
  const range = newestFirst(request)
  const filter = { customer_id: owner.customer_id, states, batch_id }
  if (!owner.within) {
    const rows = await telemetry.listCommandsOfCustomer(context.sql, filter, range)
    const { items, next } = toPage(rows, range, ({ id }) => id)
    return { items: await describeCommands(context, owner, items), next }
  }
  const limit = lookedAt + 1
  const looked = await telemetry.listCommandsOfCustomer(context.sql, filter, { ...range, limit })
  const reached = await reachedDevices(context, owner, [...new Set(looked.map(({ device_id }) => device_id))])
  const { items: some, next: rest } = toPage(looked, { ...range, limit }, ({ id }) => id)
  const rows = some.filter(({ device_id }) => reached.has(device_id))
  const { items, next } = toPage(rows.slice(0, range.limit), range, ({ id }) => id)
  return { items: await describeCommands(context, owner, items), next: next ?? rest }
}

/** How many commands of a batch are in each state. */
export async function countCommands(
  context: Context,
  owner: CustomerOwner,
  batchId: string,
): Promise<Record<CommandState, number>> {
  const { customer_id, within } = owner
  const found = await telemetry.countCommandsOfBatch(context.sql, { customer_id, batch_id: batchId })
  const ids = [...new Set(found.flatMap(({ device_ids }) => device_ids))]
  const reached = within ? await reachedDevices(context, owner, ids) : null
  const counts = Object.fromEntries(commandStates.map((state) => [state, 0])) as Record<CommandState, number>
  for (const { state, device_ids } of found) {
    counts[state] = reached ? device_ids.filter((id) => reached.has(id)).length : device_ids.length
  }
  return counts
}

export async function getCommand(
  context: Context,
  owner: CustomerOwner,
  deviceId: string,
  id: string,
): Promise<Command> {
  const row = found(await findOwnCommand(context.sql, owner, deviceId, id), 'command')
  return await describeCommand(context, owner, row)
}
