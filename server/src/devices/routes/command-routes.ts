import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { unsupportedBody } from '../../platform/http/document-refusals.ts'
import { toRefusal } from '../../platform/http/refusals.ts'
import { refusals } from '../../platform/http/schemas.ts'
import { commandLimits, pollLimits } from '../../platform/own-limits.ts'
import { type HubAddress, redirectDevice } from '../cells/redirect.ts'
import { CommandReportAccepted, DeviceCommand, DeviceCommandReport } from '../commands/device-command-schemas.ts'
import { type ReportOutcome, reportOfDevice } from '../commands/device-reports.ts'
import { CommandPoll, type PollOutcome } from '../commands/poll-command.ts'
import type { Context } from '../context.ts'
import { keyDigest } from '../telemetry/ingest.ts'
import type { Moved } from '../telemetry/outcome.ts'
import { recordRefusedMessage } from '../telemetry/recorded-refusals.ts'
import { DeviceMoved } from '../telemetry/telemetry-schemas.ts'
import { unavailable } from './telemetry-routes.ts'

const path = '/v1/devices/:id/command'
const params = Type.Object({ id: Type.String() })
const shared = {
  401: ['invalid_access_key'],
  404: ['not_found'],
  410: ['device_removed'],
  429: ['too_many_requests'],
  503: ['overloaded', 'storage_full', 'unknown_outcome'],
} as const

/** Decision 7.87: how a device gets its commands over HTTP, and reports what became of them. */
export function commandRoutes(app: App, context: Context, address: HubAddress): void {
  app.get(
    path,
    {
      config: { reads: 'bounded' },
      schema: {
        summary: 'Get the next command of a device',
        description:
          'The first command that waits, or 204. With `wait` the response comes as soon as there is one, or after so many seconds; a further poll of the device ends the one before with 204. A command is returned again until its outcome is reported.',
        tags: ['devices'],
        params,
        querystring: Type.Object({
          wait: Type.Optional(
            Type.Integer({ minimum: 0, maximum: commandLimits.waitSeconds, default: 0, description: 'Seconds.' }),
          ),
        }),
        response: {
          200: DeviceCommand,
          204: Type.Null({ description: 'No command waits.' }),
          421: DeviceMoved,
          ...refusals({ ...shared, 422: ['invalid'] }),
        },
      },
    },
    // Not async: what it would suspend for as long as a device waits is memory.
    (request, reply) => {
      const { id } = request.params
      const credential = { device_id: id, key_digest: keyDigest(request.headers.authorization ?? '') }
      const tell = (outcome: PollOutcome | Moved) => {
        if ('code' in outcome) recordRefused(context, request, outcome)
        respond(reply as FastifyReply, outcome)
      }
      const fail = (error: unknown) => void (reply as FastifyReply).send(error)
      const poll = new CommandPoll(context, credential, { respond: tell, fail })
      reply.raw.on('close', () => poll.leave())
      const begin = async () => {
        const moved = context.cells.probablyElsewhere(id) && (await redirectDevice(context, credential, address))
        if (moved) tell(moved as Moved)
        else await poll.begin(request.query.wait ?? 0)
      }
      begin().catch(fail)
    },
  )

  app.post(
    path,
    {
      bodyLimit: pollLimits.reportBytes,
      schema: {
        summary: 'Report what became of a command',
        description:
          'The first final report counts; the same again is accepted, so that a report without a response can be sent again.',
        tags: ['devices'],
        params,
        body: DeviceCommandReport,
        response: {
          200: CommandReportAccepted,
          421: DeviceMoved,
          ...refusals({
            ...shared,
            400: ['malformed_json'],
            409: ['command_finished'],
            413: ['too_large'],
            415: unsupportedBody,
            422: ['invalid'],
          }),
        },
      },
      // As with telemetry: only an authenticated device learns what is wrong with its report.
      validatorCompiler: () => () => true,
      onError: async (request, _reply, error) => {
        const { status, code, message } = toRefusal(error, request.method)
        recordRefused(context, request, { status, code, error: message })
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const credential = { device_id: id, key_digest: keyDigest(request.headers.authorization ?? '') }
      const moved = context.cells.probablyElsewhere(id) && (await redirectDevice(context, credential, address))
      const outcome = moved ?? (await reportOfDevice(context, credential, request.body))
      if ('code' in outcome) recordRefused(context, request, outcome)
      return respond(reply as FastifyReply, outcome as ReportOutcome | Moved)
    },
  )
}

function recordRefused(
  context: Context,
  { id: request_id, params: { id: device_id } }: { id: string; params: { id: string } },
  { status, code, error }: { status: number; code: string; error: string },
): void {
  recordRefusedMessage(context, { request_id, endpoint: 'command', device_id, status, code, error })
}

function respond(reply: FastifyReply, outcome: PollOutcome | ReportOutcome | Moved): FastifyReply {
  if (outcome.status === 204) return reply.code(204).send()
  if (outcome.status === 200) {
    const body = 'next' in outcome ? { success: true, ...(outcome.next ? { command: true } : {}) } : outcome.command
    return reply.send(body)
  }
  if (outcome.status === 503) return unavailable(reply, outcome)
  if (outcome.status === 429) reply.header('retry-after', 60)
  const { status, ...body } = outcome
  return reply.code(status).send(body)
}
