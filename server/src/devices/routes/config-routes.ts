import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { unsupportedBody } from '../../platform/http/document-refusals.ts'
import { toRefusal } from '../../platform/http/refusals.ts'
import { refusals } from '../../platform/http/schemas.ts'
import { pollLimits, settingLimits } from '../../platform/own-limits.ts'
import { type HubAddress, redirectDevice } from '../cells/redirect.ts'
import type { Context } from '../context.ts'
import { ConfigChange, ConfigReport, DeviceConfig, Version } from '../settings/config-schemas.ts'
import { noConfig, readConfig } from '../settings/device-settings.ts'
import { SettingsChanged } from '../settings/settings-refusals.ts'
import { reportConfig } from '../settings/settings-reports.ts'
import { authenticateDevice, keyDigest, type Outcome } from '../telemetry/ingest.ts'
import { type Moved, tooManyCalls } from '../telemetry/outcome.ts'
import { recordRefusedMessage } from '../telemetry/recorded-refusals.ts'
import { DeviceMoved } from '../telemetry/telemetry-schemas.ts'
import { unavailable } from './telemetry-routes.ts'

const credentials = {
  401: ['invalid_access_key'],
  404: ['not_found'],
  410: ['device_removed'],
  429: ['too_many_requests'],
} as const
const Path = Type.Object({ id: Type.String() })

const Accepted = Type.Object(
  { success: Type.Literal(true), version: { ...Version, description: 'The newest version of the settings.' } },
  { title: 'ConfigAccepted', description: 'What the device said is stored.' },
)
const Conflict = Type.Object(
  {
    error: Type.String({ description: 'A sentence for people. Branch on `code`.' }),
    code: Type.Enum(['settings_changed', 'not_claimed']),
    version: Type.Optional(DeviceConfig.properties.version),
    config: Type.Optional(DeviceConfig.properties.config),
    last_updated: Type.Optional(DeviceConfig.properties.last_updated),
  },
  {
    title: 'ConfigConflict',
    description:
      '`settings_changed`: there is a newer version, which comes with it. `not_claimed`: nobody has the device.',
  },
)

/** What a customer wants of the device, and what the device made of it. */
export function configRoutes(app: App, context: Context, address: HubAddress): void {
  app.get(
    '/v1/devices/:id/config',
    {
      config: { reads: 'bounded' },
      schema: {
        summary: 'Get the settings of one device',
        description:
          'All settings that the device should have, with their version; version 0 while nothing was ever wanted. Ask when the ' +
          'response to telemetry has another `config_version` than the device has applied.',
        tags: ['devices'],
        params: Path,
        response: {
          200: DeviceConfig,
          421: DeviceMoved,
          ...refusals({ ...credentials, 503: ['overloaded', 'storage_full'] }),
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const verdict = await verdictOn(context, id, request.headers.authorization, address)
      if (verdict.status !== 200) return refuse(context, request.id, id, verdict, reply as FastifyReply)
      const device = id.toLowerCase()
      return (await readConfig(context, [device])).get(device) ?? noConfig
    },
  )

  app.post(
    '/v1/devices/:id/config',
    {
      // Room for all settings, with a sentence about each.
      bodyLimit: 16 * settingLimits.bytes,
      schema: {
        summary: 'Report or change the settings of one device',
        description:
          'Either what the device made of a version: `applied`, or `rejected` with what it refused; or a change that was made ' +
          'at the device, which becomes the next version. A change of an older version than the newest is refused.',
        tags: ['devices'],
        params: Path,
        body: Type.Union([ConfigReport, ConfigChange]),
        response: {
          200: Accepted,
          409: Conflict,
          421: DeviceMoved,
          ...refusals({
            ...credentials,
            ...{ 400: ['malformed_json'], 413: ['too_large'], 415: unsupportedBody, 422: ['invalid'] },
            503: ['overloaded', 'storage_full', 'unknown_outcome'],
          }),
        },
      },
      // Only an authenticated device learns what is wrong with its message.
      validatorCompiler: () => () => true,
      onError: async (request, _reply, thrown) => {
        const { status, code, message: error } = toRefusal(thrown, request.method)
        const about = { request_id: request.id, endpoint: 'config', device_id: request.params.id } as const
        recordRefusedMessage(context, { ...about, status, code, error })
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const verdict = await verdictOn(context, id, request.headers.authorization, address)
      if (verdict.status !== 200) return refuse(context, request.id, id, verdict, reply as FastifyReply)
      try {
        return {
          success: true as const,
          ...(await reportConfig(context, { device_id: id.toLowerCase() }, request.body)),
        }
      } catch (error) {
        if (!(error instanceof SettingsChanged)) throw error
        const { status, code, message } = error
        const about = { request_id: request.id, endpoint: 'config', device_id: id } as const
        recordRefusedMessage(context, { ...about, status, code, error: message })
        return reply.code(409).send({ error: error.message, code: 'settings_changed', ...error.current })
      }
    },
  )
}

async function verdictOn(context: Context, id: string, authorization = '', address: HubAddress) {
  const credential = { device_id: id, key_digest: keyDigest(authorization) }
  const moved = context.cells.probablyElsewhere(id) && (await redirectDevice(context, credential, address))
  const verdict = moved || (await authenticateDevice(context, credential))
  const isCalm =
    verdict.status !== 200 || (await context.commandCalls.take(id.toLowerCase(), pollLimits.callsPerDevice))
  const error = 'This device asks for its settings, or reports them, too often. Wait a minute.'
  return isCalm ? verdict : { ...tooManyCalls, error }
}

function refuse(
  context: Context,
  request_id: string,
  device_id: string,
  outcome: Exclude<Outcome | Moved, { status: 200 }> | { status: 429; code: string; error: string },
  reply: FastifyReply,
): FastifyReply {
  const { status: refused, code, error } = outcome
  recordRefusedMessage(context, { status: refused, code, error, request_id, endpoint: 'config', device_id })
  if (outcome.status === 503) return unavailable(reply, outcome)
  const { status, ...body } = outcome
  return reply.code(status).send(body)
}
