import type { Context } from '../../directory/context.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { commandLimits } from '../../platform/own-limits.ts'
import { conflict, type Detail, invalid, notFound, Refusal } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { newIdBeside } from '../bucket.ts'

import { type DeclaredCommand, findCommandsOfModels } from '../store/declared-commands-sql.ts'
import { findOwn } from '../store/device-changes-sql.ts'
import type { CustomerOwner } from '../store/devices-sql.ts'
import * as telemetry from '../telemetry-store/telemetry-store.ts'
import { announceCommands, recordSettled } from './command-news.ts'
import { sealSecrets } from './command-secrets.ts'
import { commandDefaults, type ParameterValues, problemsOfParameters, splitSecrets } from './declared-command-rules.ts'

/** Who sends commands, and to whose devices. */
export interface Commander {
  owner: CustomerOwner
  actor: Actor
  source: telemetry.CommandSource
  created_by: telemetry.CommandRow['created_by']
  /** The application or API key. */
  client_id: string | null
  /** The grant or API key that is held: what is created at the same moment shares a transaction only with the same one. */
  held?: string | undefined
  /** Throws once the credential has ended, and holds it until the commit otherwise: its end cancels what waits. */
  hold(sql: Sql): Promise<void>
}

export interface CommandRequest {
  name: string
  parameters?: ParameterValues | undefined
  expires_after?: number | undefined
}

export type CommandOutcome = { command: telemetry.CommandRow } | { refusal: Refusal }

/** One command for one device, of a batch or by itself. */
export interface Order {
  device_id: string
  request: CommandRequest
  batch_id: string | null
}

/** The same command for many devices, with an outcome each, in order: each is judged by its own model. */
export async function createCommands(
  context: Context,
  commander: Commander,
  deviceIds: readonly string[],
  request: CommandRequest,
): Promise<{ batch_id: string; outcomes: CommandOutcome[] }> {
  const batch_id = newId()
  const wanted = deviceIds.map((id) => id.toLowerCase())
  const orders = [...new Set(wanted)].map((device_id) => ({ device_id, request, batch_id }))
  const outcomes = new Map(
    (await createEach(context, commander, orders)).map((one, at) => [orders[at]!.device_id, one]),
  )
  return { batch_id, outcomes: wanted.map((id) => outcomes.get(id)!) }
}

/** One outcome per order, each for another device; as many statements for a thousand as for one. */
export async function createEach(
  context: Context,
  commander: Commander,
  orders: readonly Order[],
): Promise<CommandOutcome[]> {
  const ids = orders.map(({ device_id }) => device_id)
  const limited = await takeFromLimits(context, commander.owner, ids)
  return await transaction(context.sql, async (sql) => {
    await commander.hold(sql)
    await telemetry.lockStates(sql, ids)
    const judged = await judge(context, sql, commander.owner, orders, limited)
    const created = await insert(context, sql, commander, judged)
    return judged.map((one) => created.get(one) ?? (one as { refusal: Refusal }))
  })
}

/** Those that have had too many within a minute. By customer too, so that nobody can use up the limit of another. */
async function takeFromLimits(
  { limits }: Context,
  { customer_id }: CustomerOwner,
  ids: string[],
): Promise<Set<string>> {
  const max = commandLimits.perDevice
  const taken = await Promise.all(ids.map((id) => limits.take(`commands ${customer_id} ${id}`, max)))
  return new Set(ids.filter((_, index) => !taken[index]))
}

type Judged = { refusal: Refusal } | Accepted

interface Accepted {
  order: Order
  device: { id: string; partner_id: string; model_id: string }
  declared: DeclaredCommand
  waiting: number
}

/** Of devices whose states are locked. */
async function judge(
  context: Context,
  sql: Sql,
  owner: CustomerOwner,
  orders: readonly Order[],
  limited: ReadonlySet<string>,
): Promise<Judged[]> {
  const ids = orders.map(({ device_id }) => device_id)
  // What has expired does not count any more.
  const settled = await telemetry.settleCommands(sql, ids)
  if (settled.length > 0) {
    await recordSettled(context, sql, settled)
    await announceCommands(context, sql, { heads: await telemetry.refreshHeads(sql, ids), changed: settled })
  }
  const rooms = new Map((await telemetry.readCommandRoom(sql, ids)).map((room) => [room.device_id, room]))
  const own = new Map((await findOwn(sql, owner, ids)).map((device) => [device.id, device]))
  const declaredBy = await readDeclared(sql, [...own.values()], orders)
  return orders.map((order): Judged => {
    const { device_id, request } = order
    const [device, room] = [own.get(device_id), rooms.get(device_id)]
    if (!device || !room || room.customer_id !== owner.customer_id) return { refusal: notFound('device') }
    if (limited.has(device_id)) return { refusal: tooOften() }
    const declared = declaredBy(device.model_id, request)
    if (!declared)
      return { refusal: invalid({ field: 'name', message: 'is not a command of the model of this device' }) }
    const { command, problems } = declared
    if (problems.length > 0) return { refusal: invalid(...problems) }
    if (command.requires_online && !isConnected(room.status)) return { refusal: deviceOffline() }
    if (room.waiting >= commandLimits.waitingPerDevice) return { refusal: tooManyCommands() }
    return { order, device, declared: command, waiting: room.waiting }
  })
}

/** What the models of these devices declare of these requests, and what is wrong with the parameters. */
async function readDeclared(sql: Sql, devices: readonly { model_id: string }[], orders: readonly Order[]) {
  const models = [...new Set(devices.map(({ model_id }) => model_id))]
  const names = [...new Set(orders.map(({ request }) => request.name))]
  const rows = await findCommandsOfModels(sql, models, names)
  const commands = new Map(rows.map(({ model_id, command }) => [`${model_id} ${command.name}`, command]))
  // A request for a thousand devices is judged once per model.
  const judged = new Map<CommandRequest, Map<string, { command: DeclaredCommand; problems: Detail[] }>>()
  return (model: string, request: CommandRequest) => {
    const command = commands.get(`${model} ${request.name}`)
    if (!command) return undefined
    const byModel = judged.get(request) ?? new Map()
    judged.set(request, byModel)
    const known = byModel.get(model) ?? { command, problems: problemsOfParameters(command, request.parameters ?? {}) }
    byModel.set(model, known)
    return known
  }
}

/** A device with an error sends telemetry, and can take a command. */
function isConnected(status: string): boolean {
  return status === 'online' || status === 'error'
}

async function insert(
  context: Context,
  sql: Sql,
  { owner, actor, source, created_by, client_id }: Commander,
  judged: readonly Judged[],
): Promise<Map<Judged, CommandOutcome>> {
  const accepted = judged.filter((one) => 'device' in one)
  if (accepted.length === 0) return new Map()
  const { variants, indexOf } = variantsFor(context)
  const news = accepted.map((one) => ({
    id: newIdBeside(one.device.id),
    device_id: one.device.id,
    partner_id: one.device.partner_id,
    head: one.waiting === 0,
    variant: indexOf(one),
  }))
  const { customer_id } = owner
  const origin = { customer_id, source, created_by, client_id }
  const rows = new Map((await telemetry.insertCommands(sql, news, variants, origin)).map((row) => [row.id, row]))
  const heads = news.filter(({ head }) => head).map(({ id }) => rows.get(id)!)
  await announceCommands(context, sql, { heads })
  const at = context.now()
  await recordAudit(
    sql,
    ...news.map(({ id, device_id }, index) => {
      const { request, batch_id } = accepted[index]!.order
      const parameters = Object.keys(request.parameters ?? {})
      const details = { command_id: id, name: request.name, parameters, ...(batch_id ? { batch_id } : {}) }
      return { type: 'command.created' as const, at, actor, customer_id, device_id, details }
    }),
  )
  return new Map(accepted.map((one, index) => [one, { command: rows.get(news[index]!.id)! }]))
}

/** One per request and model, not per device: a thousand devices share the values of their batch. */
function variantsFor(context: Context) {
  const variants: telemetry.CommandVariant[] = []
  const indexes = new Map<CommandRequest, Map<string, number>>()
  const indexOf = ({ order, device, declared }: Accepted): number => {
    const byModel = indexes.get(order.request) ?? new Map<string, number>()
    indexes.set(order.request, byModel)
    const known = byModel.get(device.model_id) ?? variants.push(toVariant(context, declared, order)) - 1
    byModel.set(device.model_id, known)
    return known
  }
  return { variants, indexOf }
}

function toVariant(
  context: Context,
  declared: DeclaredCommand,
  { request, batch_id }: Order,
): telemetry.CommandVariant {
  const { name, parameters = {}, expires_after } = request
  const { secret, open, hidden } = splitSecrets(declared, parameters)
  return {
    name,
    batch_id,
    label: declared.label ?? null,
    parameters: open,
    secret,
    sealed: sealSecrets(context, hidden),
    expires_after: expires_after ?? declared.expires_after ?? commandDefaults.expires_after,
    timeout: declared.timeout ?? commandDefaults.timeout,
  }
}

const deviceOffline = () =>
  conflict('device_offline', 'The device is offline, and this command is only for one that is online.')

const tooManyCommands = () =>
  conflict(
    'too_many_commands',
    `${commandLimits.waitingPerDevice} commands wait for this device. Wait until it has carried some out, or cancel one.`,
  )

const tooOften = () =>
  new Refusal(
    429,
    'too_many_requests',
    `More than ${commandLimits.perDevice} commands were sent to this device within a minute. Wait a minute and try again.`,
    { retryAfter: 60 },
  )
