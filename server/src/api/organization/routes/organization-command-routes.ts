import type { Static } from 'typebox'
import { cancelCommand } from '../../../devices/commands/cancel-commands.ts'
import { isFinal } from '../../../devices/commands/command-states.ts'
import { type CommandOutcome, createCommands } from '../../../devices/commands/create-commands.ts'
import { getCommandsOfDevice } from '../../../devices/commands/declared-commands.ts'
import {
  countCommands,
  describeCommand,
  getCommand,
  listCommands,
  listCommandsOfDevice,
} from '../../../devices/commands/read-commands.ts'
import type { App } from '../../../platform/http/app.ts'
import { IdPath, refusals } from '../../../platform/http/schemas.ts'
import { commandLimits } from '../../../platform/own-limits.ts'
import type { Context } from '../../context.ts'
import { paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf, ownerOf, streamCredential } from '../authenticate-organization.ts'
import { changedCommand } from '../changed-command.ts'
import { commanderOf } from '../command-caller.ts'
import {
  BatchQuery,
  Command,
  CommandBatch,
  CommandCounts,
  CommandFilters,
  CommandPath,
  CommandsOfDevice,
  NewCommand,
  NewCommands,
  readStates,
  WaitQuery,
} from '../command-schemas.ts'

const route = tagged('Organization: commands')
const refused = { 409: ['device_offline', 'too_many_commands'], 429: ['too_many_requests'] } as const
const many = commandLimits.devicesPerCall.toLocaleString('en')

const bulk = `Up to ${many} devices, with one result each, in the order of the call. A device that is refused does not keep the others from it: \`status\` is then what a call for this device alone would have returned.`

export function commandRoutes(app: App, context: Context): void {
  createRoutes(app, context)
  readRoutes(app, context)
  listRoutes(app, context)
}

function createRoutes(app: App, context: Context): void {
  app.post(
    '/devices/:id/commands',
    route({
      permission: 'devices: command',
      creates: { unlimited: 'at most 20 commands of a device wait, and ended ones are deleted after 90 days' },
      summary: 'Send a command to a device',
      description:
        'The model of the device declares its commands. The device gets them one at a time, in order. The response says ' +
        'that the command waits, not that it was carried out: read it with `wait` to follow it.',
      params: IdPath,
      body: NewCommand,
      response: { 202: Command, ...refusals(refused) },
    }),
    async (request, reply) => {
      const commander = await commanderOf(context, request)
      const row = await context.createCommand(commander, request.params.id, request.body)
      return reply.code(202).send(await describeCommand(context, commander.owner, row))
    },
  )

  app.post(
    '/devices/commands',
    route({
      permission: 'devices: command',
      creates: { unlimited: 'at most 20 commands of a device wait, and ended ones are deleted after 90 days' },
      summary: 'Send a command to many devices',
      description: bulk,
      body: NewCommands,
      response: { 202: CommandBatch },
    }),
    async (request, reply) => {
      const { device_ids, ...command } = request.body
      const commander = await commanderOf(context, request)
      const { batch_id, outcomes } = await createCommands(context, commander, device_ids, command)
      const results = outcomes.map((outcome, index) => toResult(device_ids[index]!, outcome))
      return reply.code(202).send({ batch_id, results })
    },
  )

  app.delete(
    '/devices/:id/commands/:command_id',
    route({
      permission: 'devices: command',
      summary: 'Cancel a command',
      description: 'Only while it is queued: a command that the device already has is not canceled.',
      params: CommandPath,
      response: { 200: Command, ...refusals({ 409: ['command_under_way', 'command_finished'] }) },
    }),
    async (request) => {
      const { id, command_id } = lowerCase(request.params)
      const owner = ownerOf(request)
      const row = await cancelCommand(context, callerOf(request).actor, owner, id, command_id)
      return describeCommand(context, owner, row)
    },
  )
}

function readRoutes(app: App, context: Context): void {
  app.get(
    '/devices/:id/declared-commands',
    route({
      permission: 'devices: read',
      reads: 'bounded',
      summary: 'List what a device can be asked to do',
      description: 'The commands that its model declares, and the data points that can be set.',
      params: IdPath,
      response: { 200: CommandsOfDevice },
    }),
    async (request) => getCommandsOfDevice(context, ownerOf(request), request.params.id),
  )

  app.get(
    '/devices/:id/commands/:command_id',
    route({
      permission: 'devices: read',
      reads: 'bounded',
      summary: 'Get a command',
      description:
        'With `wait`, the response comes with the next change of the command, or after that many seconds; at once where ' +
        'nothing changes any more.',
      params: CommandPath,
      querystring: WaitQuery,
      response: { 200: Command },
    }),
    async (request) => {
      const { id, command_id } = lowerCase(request.params)
      const owner = ownerOf(request)
      const command = await getCommand(context, owner, id, command_id)
      const { wait: seconds = 0 } = request.query
      if (seconds === 0 || isFinal(command.state)) return command
      return changedCommand(context, owner, command, {
        milliseconds: seconds * 1000,
        left: request.signal,
        credential: streamCredential(context, request),
      })
    },
  )
  app.addHook('preClose', async () => context.commandWaits.end())
}

function listRoutes(app: App, context: Context): void {
  app.get(
    '/devices/:id/commands',
    route({
      permission: 'devices: read',
      reads: 'bounded',
      summary: 'List the commands of a device',
      description: 'Newest first. Commands are kept for 90 days.',
      params: IdPath,
      ...paged(Command),
    }),
    async (request) => listCommandsOfDevice(context, ownerOf(request), request.params.id.toLowerCase(), request.query),
  )

  app.get(
    '/commands',
    route({
      permission: 'devices: read',
      reads: 'bounded',
      summary: 'List the commands of this organization',
      description:
        'Newest first. For a caller who sees some spaces only, a page may be short and still have a `next`: continue from there.',
      ...paged(Command, CommandFilters),
    }),
    async (request) => {
      const { state, ...query } = request.query
      return listCommands(context, ownerOf(request), { ...query, states: readStates(state) })
    },
  )

  app.get(
    '/commands/counts',
    route({
      permission: 'devices: read',
      reads: 'bounded',
      summary: 'Count the commands of a batch',
      description: 'How many are in each state, of those that one call for many devices has created.',
      querystring: BatchQuery,
      response: { 200: CommandCounts },
    }),
    async (request) => countCommands(context, ownerOf(request), request.query.batch_id),
  )
}

function toResult(deviceId: string, outcome: CommandOutcome): Static<typeof CommandBatch>['results'][number] {
  if ('command' in outcome) return { device_id: deviceId, status: 202, id: outcome.command.id }
  const { status, code, message: error, details } = outcome.refusal
  return { device_id: deviceId, status, code, error, ...(details ? { details } : {}) }
}

function lowerCase({ id, command_id }: { id: string; command_id: string }) {
  return { id: id.toLowerCase(), command_id: command_id.toLowerCase() }
}
