import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { unsupportedBody } from '../../platform/http/document-refusals.ts'
import { toRefusal } from '../../platform/http/refusals.ts'
import { refusals } from '../../platform/http/schemas.ts'
import { requestLimits } from '../../platform/own-limits.ts'
import type { Context } from '../context.ts'
import { countRefusedRegistration, registerDevice, requireRegistrationLimit } from '../registry/registration.ts'
import { recordRegistrationRefusal } from '../telemetry/recorded-refusals.ts'
import { FirmwareVersion, Mac, SerialNumber } from '../telemetry/telemetry-schemas.ts'

const Registration = Type.Object(
  {
    device_model: Type.String({ minLength: 1, maxLength: 64, description: 'the Model ID in the partner portal' }),
    hardware_key: Type.String({ minLength: 1, maxLength: 256, description: 'a hardware key of the model' }),
    mac: Mac,
    sn: SerialNumber,
    firmware_version: FirmwareVersion,
  },
  { title: 'Registration', description: 'A device that registers.', additionalProperties: false },
)

const RegisteredDevice = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    access_key: Type.String(),
    hub_url: Type.String(),
    hub_url_static_cert: Type.String(),
    mqtt_hub_url: Type.String(),
  },
  {
    title: 'RegisteredDevice',
    description: 'The credentials and addresses of the device. `access_key` is returned only this once.',
  },
)

/** Contract 4.7. */
export function registerRoute(app: App, context: Context): void {
  app.post(
    '/v1/devices',
    {
      bodyLimit: requestLimits.registrationBytes,
      schema: {
        summary: 'Register a device',
        description:
          'Once per device. Store what is returned: the access key is not shown again. The device is unclaimed until a customer claims it by MAC, serial number and model.',
        tags: ['devices'],
        body: Registration,
        response: {
          201: RegisteredDevice,
          ...refusals({
            400: ['malformed_json'],
            401: ['invalid_hardware_key'],
            409: ['already_registered', 'mac_taken', 'sn_taken'],
            413: ['too_large'],
            415: unsupportedBody,
            422: ['invalid'],
            429: ['too_many_requests'],
            503: ['unavailable', 'unknown_outcome'],
          }),
        },
      },
      // Once the body is read, which is short: the refusal is then in the log of the model's partner.
      preValidation: async ({ ip, body }) => requireRegistrationLimit(context, limitAddress(ip), modelOf(body)),
      onError: async (request, _reply, error) => {
        const { status } = toRefusal(error, request.method)
        context.deviceCounters.countRegistration(status === 429 ? 'limited' : 'refused')
        recordRegistrationRefusal(context, request, error)
        // A 409 proves the hardware key.
        if (status === 401 || status === 422) {
          await countRefusedRegistration(context, limitAddress(request.ip), modelOf(request.body))
        }
      },
    },
    async (request, reply) => reply.code(201).send(await registerDevice(context, request.body)),
  )
}

function modelOf(body: unknown): unknown {
  return (body as { device_model?: unknown } | null | undefined)?.device_model
}
