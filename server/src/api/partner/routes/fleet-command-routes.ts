import { Type } from 'typebox'
import {
  CommandReportAccepted,
  DeviceCommand,
  FleetCommandReport,
} from '../../../devices/commands/device-command-schemas.ts'
import { pollFleet, wakeFleetPolls } from '../../../devices/commands/fleet-commands.ts'
import { readReport } from '../../../devices/commands/report-bodies.ts'
import type { App } from '../../../platform/http/app.ts'
import { IdPath, Nullable, refusals } from '../../../platform/http/schemas.ts'
import { commandLimits, pollLimits } from '../../../platform/own-limits.ts'
import { invalid } from '../../../platform/refusal.ts'
import type { Context } from '../../context.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { authenticate, callerOf } from '../authenticate-partner.ts'

const route = tagged('Partner: devices')

const After = Type.String({ maxLength: 4_096, pattern: '^[A-Za-z0-9_-]*$' })

const FleetCommands = Type.Object(
  {
    commands: Type.Array(DeviceCommand, { description: 'The oldest first, at most one for each device.' }),
    after: Nullable(
      Type.String({ description: 'Send it with the next poll: these commands have arrived. Null without commands.' }),
    ),
  },
  { title: 'FleetCommands', description: 'Commands for devices of this partner.' },
)

/** For a cloud that speaks for its devices. Nothing of the customer is in it: contract 1.5. */
export function fleetCommandRoutes(app: App, context: Context): void {
  app.addHook('onReady', () => wakeFleetPolls(context))
  app.addHook('preClose', async () => context.fleetPolls.close())

  app.get(
    '/commands',
    route({
      reads: 'bounded',
      summary: 'Get the commands of the fleet',
      description:
        'For a cloud that speaks for its devices: the first command of each device that has one. With `wait` the response comes as soon as there is a command, or after so many seconds. What the next poll does not confirm with `after` is handed out again after a minute; carry out each id once. A device that asks for its commands itself gets them instead.',
      querystring: Type.Object({
        wait: Type.Optional(
          Type.Integer({ minimum: 0, maximum: commandLimits.waitSeconds, default: 0, description: 'Seconds.' }),
        ),
        after: Type.Optional({ ...After, description: '`after` of the response before.' }),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: pollLimits.fleetCommands, default: 100 })),
      }),
      response: { 200: FleetCommands, ...refusals({ 422: ['invalid'], 429: ['too_many_polls'] }) },
    }),
    async (request, reply) => {
      const { partner_id } = callerOf(request)
      const { wait = 0, after = null, limit = pollLimits.fleetCommands } = request.query
      return await pollFleet(context, {
        ...{ partner_id, wait, limit, after },
        authenticateAgain: () => authenticate(context, request),
        onWait: (leave) => reply.raw.once('close', leave),
      })
    },
  )

  app.post(
    '/commands/:id',
    route({
      creates: { unlimited: 'reports a command that exists' },
      summary: 'Report what became of a command',
      description:
        'For a device of this partner’s models. The first final report counts; the same again is accepted, another is refused.',
      params: IdPath,
      body: FleetCommandReport,
      response: {
        200: CommandReportAccepted,
        ...refusals({ 404: ['not_found'], 409: ['command_finished'], 422: ['invalid'] }),
      },
    }),
    async (request) => {
      const { partner_id } = callerOf(request)
      const report = readReport(request.body, request.params.id.toLowerCase())
      if (Array.isArray(report)) throw invalid(...report)
      const { next } = await context.reportCommand({ partner_id }, report)
      return { success: true as const, ...(next ? { command: true as const } : {}) }
    },
  )
}
