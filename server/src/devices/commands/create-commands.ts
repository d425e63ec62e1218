import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { commandLimits } from '../../platform/own-limits.ts'
import { conflict, invalid, notFound, Refusal } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { newIdBeside } from '../bucket.ts'
import type { Context } from '../context.ts'
import { type DeclaredCommand, findCommandOfModels } from '../store/declared-commands-sql.ts'
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
  /** Throws once the credential has ended, and holds it until the commit otherwise: its end cancels what waits. */
  hold(sql: Sql): Promise<void>
}

export interface CommandRequest {
  name: string
  parameters?: ParameterValues | undefined
  expires_after?: number | undefined
}

export type CommandOutcome = { command: telemetry.CommandRow } | { refusal: Refusal }

/** One command for one device. */
export async function createCommand(
  context: Context,
  commander: Commander,
  deviceId: string,
  request: CommandRequest,
): Promise<telemetry.CommandRow> {
  const [outcome] = await create(context, commander, [deviceId], request, null)
  if ('refusal' in outcome!) throw outcome.refusal
  return outcome!.command
}

/** The same command for many devices, with an outcome each, in order: each is judged by its own model. */
export async function createCommands(
  context: Context,
  commander: Commander,
  deviceIds: readonly string[],
  request: CommandRequest,
): Promise<{ batch_id: string; outcomes: CommandOutcome[] }> {
  const batchId = newId()
  return { batch_id: batchId, outcomes: await create(context, commander, deviceIds, request, batchId) }
}

/** As many statements for a thousand devices as for one. */
async function create(
  context: Context,
  commander: Commander,
  deviceIds: readonly string[],
  request: CommandRequest,
  batchId: string | null,
): Promise<CommandOutcome[]> {
  const wanted = deviceIds.map((id) => id.toLowerCase())
  const ids = [...new Set(wanted)]
  const limited = await takeFromLimits(context, commander.owner, ids)
  const outcomes = await transaction(context.sql, async (sql) => {
    await commander.hold(sql)
    await telemetry.lockStates(sql, ids)
    const judged = await judge(context, sql, commander.owner, ids, request, limited)
    const created = await insert(context, sql, commander, request, batchId, judged)
    return new Map<string, CommandOutcome>(
      judged.map((one) => [
        'refusal' in one ? one.device_id : one.device.id,
        created.get(one) ?? (one as { refusal: Refusal }),
      ]),
    )
  })
  return wanted.map((id) => outcomes.get(id)!)
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

type Judged = { device_id: string; refusal: Refusal } | Accepted

interface Accepted {
  device: { id: string; partner_id: string; model_id: string }
  declared: DeclaredCommand
  waiting: number
}

/** Of devices whose states are locked. */
async function judge(
  context: Context,
  sql: Sql,
  owner: CustomerOwner,
  ids: string[],
  request: CommandRequest,
  limited: ReadonlySet<string>,
): Promise<Judged[]> {
  // What has expired does not count any more.
  const settled = await telemetry.settleCommands(sql, ids)
  if (settled.length > 0) {
    await recordSettled(context, sql, settled)
    await announceCommands(context, sql, { heads: await telemetry.refreshHeads(sql, ids), changed: settled })
  }
  const rooms = new Map((await telemetry.readCommandRoom(sql, ids)).map((room) => [room.device_id, room]))
  const own = new Map((await findOwn(sql, owner, ids)).map((device) => [device.id, device]))
  const models = [...new Set([...own.values()].map(({ model_id }) => model_id))]
  const declared = await findCommandOfModels(sql, models, request.name)
  const problems = new Map(
    [...declared].map(([model, command]) => [model, problemsOfParameters(command, request.parameters ?? {})]),
  )
  return ids.map((device_id): Judged => {
    const [device, room] = [own.get(device_id), rooms.get(device_id)]
    const refuse = (refusal: Refusal) => ({ device_id, refusal })
    if (!device || !room || room.customer_id !== owner.customer_id) return refuse(notFound('device'))
    if (limited.has(device_id)) return refuse(tooOften())
    const command = declared.get(device.model_id)
    if (!command) return refuse(invalid({ field: 'name', message: 'is not a command of the model of this device' }))
    const wrong = problems.get(device.model_id)!
    if (wrong.length > 0) return refuse(invalid(...wrong))
    if (command.requires_online && !isConnected(room.status)) return refuse(deviceOffline())
    if (room.waiting >= commandLimits.waitingPerDevice) return refuse(tooManyCommands())
    return { device, declared: command, waiting: room.waiting }
  })
}

/** A device with an error sends telemetry, and can take a command. */
function isConnected(status: string): boolean {
  return status === 'online' || status === 'error'
}

async function insert(
  context: Context,
  sql: Sql,
  commander: Commander,
  request: CommandRequest,
  batchId: string | null,
  judged: readonly Judged[],
): Promise<Map<Judged, CommandOutcome>> {
  const accepted = judged.filter((one) => 'device' in one)
  if (accepted.length === 0) return new Map()
  const { owner, actor, source, created_by, client_id } = commander
  const models = [...new Map(accepted.map(({ device, declared }) => [device.model_id, declared]))]
  const positions = new Map(models.map(([model], index) => [model, index]))
  const variants = models.map(([, declared]) => toVariant(context, declared, request))
  const news = accepted.map(({ device, waiting }) => ({
    id: newIdBeside(device.id),
    device_id: device.id,
    partner_id: device.partner_id,
    head: waiting === 0,
    variant: positions.get(device.model_id)!,
  }))
  const { customer_id } = owner
  const origin = { customer_id, name: request.name, source, created_by, client_id, batch_id: batchId }
  const rows = new Map((await telemetry.insertCommands(sql, news, variants, origin)).map((row) => [row.id, row]))
  const heads = news.filter(({ head }) => head).map(({ id }) => rows.get(id)!)
  await announceCommands(context, sql, { heads })
  const at = context.now()
  const names = Object.keys(request.parameters ?? {})
  await recordAudit(
    sql,
    ...news.map(({ id, device_id }) => {
      const details = {
        command_id: id,
        name: request.name,
        parameters: names,
        ...(batchId ? { batch_id: batchId } : {}),
      }
      return { type: 'command.created' as const, at, actor, customer_id, device_id, details }
    }),
  )
  return new Map(accepted.map((one, index) => [one, { command: rows.get(news[index]!.id)! }]))
}

function toVariant(
  context: Context,
  declared: DeclaredCommand,
  { parameters = {}, expires_after }: CommandRequest,
): telemetry.CommandVariant {
  const { secret, open, hidden } = splitSecrets(declared, parameters)
  return {
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
