import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { unsupportedBody } from '../../platform/http/document-refusals.ts'
import { refusals } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { FirmwareVersion } from '../firmware-version.ts'
import { noteRegistrationRefusal } from '../refusal-notes.ts'
import { registerDevice } from '../registration.ts'
import { Mac, SerialNumber } from '../schemas.ts'

const Registration = Type.Object(
  {
    device_model: Type.String({ minLength: 1, maxLength: 64, description: 'the Model ID of the partner portal' }),
    hardware_key: Type.String({ minLength: 1, maxLength: 256, description: 'a hardware key of the model' }),
    mac: Mac,
    sn: SerialNumber,
    firmware_version: FirmwareVersion,
  },
  { additionalProperties: false },
)

const RegisteredDevice = Type.Object({
  id: Type.String({ format: 'uuid' }),
  access_key: Type.String(),
  hub_url: Type.String(),
  hub_url_static_cert: Type.String(),
  mqtt_hub_url: Type.String(),
})

/** Spec 4.7. */
export function registerRoute(app: App, context: Context): void {
  app.post(
    '/v1/devices',
    {
      schema: {
        summary: 'Register a device',
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
          }),
        },
      },
      onError: async (request, _reply, error) => noteRegistrationRefusal(context, request, error),
    },
    async (request, reply) => reply.code(201).send(await registerDevice(context, request.body)),
  )
}
