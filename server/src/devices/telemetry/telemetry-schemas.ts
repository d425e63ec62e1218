import { Type } from 'typebox'
import { Dictionary, FieldProblem } from '../../platform/http/schemas.ts'
import { massLimits, messageLimits } from '../../platform/own-limits.ts'

export const Mac = Type.String({
  maxLength: 17,
  pattern: '^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$',
  description: 'six hexadecimal pairs with colons between them, such as 00:1a:2b:3c:4d:5e',
})

/** In ranges that every language's expressions have: Python and others read the patterns of the API document too. */
const control = '\\u0000-\\u001f\\u007f-\\u009f'
/** What `\p{C}` means, as far as such ranges go; registration refuses the rest. */
const hidden = `${control}\\u00ad\\u0600-\\u0605\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ud800-\\uf8ff\\ufeff\\ufff0-\\uffff`

export const SerialNumber = Type.String({
  maxLength: 128,
  pattern: `^[^\\s${hidden}]([^${hidden}]*[^\\s${hidden}])?$`,
  description: '1 to 128 characters, with no control characters and no space at either end',
})

/** The pattern that semver.org gives for version 2.0.0. */
const semanticVersion =
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)' +
  '(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?' +
  '(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$'

const maxFirmwareCharacters = 256

export const firmwareVersionIs = 'a semantic version of at most 256 characters, such as 1.4.2'

export const FirmwareVersion = Type.String({
  maxLength: maxFirmwareCharacters,
  pattern: semanticVersion,
  description: firmwareVersionIs,
})

const firmwareMatcher = new RegExp(semanticVersion, 'u')

/** For telemetry, which is validated by hand. */
export function isFirmwareVersion(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxFirmwareCharacters && firmwareMatcher.test(value)
}

export const DataPoint = Type.String({
  minLength: 1,
  maxLength: messageLimits.keyCharacters,
  pattern: `^[^${control}\\u2028\\u2029]*$`,
  description: '1 to 128 characters, with no control characters and no line separators',
})

const needsTimestamp = { dependentRequired: { message_id: ['timestamp'] } }

export const Telemetry = Type.Object(
  {
    status: Type.Enum(['online', 'offline', 'error']),
    telemetries: Dictionary(Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()]), {
      maxProperties: messageLimits.keys,
      propertyNames: DataPoint,
      description:
        'Data points: at most 500 per message and 2,000 per device, named in 1 to 128 characters without control ' +
        'characters or line separators, text of at most 1,024 bytes. One that is absent keeps its latest value; null ' +
        'removes it.',
    }),
    override: Type.Optional(
      Type.Boolean({ description: 'True: these data points replace the whole state, and all others are removed.' }),
    ),
    timestamp: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'From 7 days ago to 10 minutes ahead; the time of arrival by default.',
      }),
    ),
    message_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: messageLimits.messageIdCharacters,
        description: 'A repeat of (device, timestamp, message_id) is stored once. Needs timestamp.',
      }),
    ),
    firmware_version: Type.Optional({
      ...FirmwareVersion,
      description: 'The current firmware, as a semantic version. Send it with every message, or once after an update.',
    }),
  },
  {
    title: 'Telemetry',
    description: 'One message of a device.',
    additionalProperties: false,
    ...needsTimestamp,
  },
)

/** In the response to a message, where something waits for its device. */
export const waitingForDevice = {
  command: Type.Optional(
    Type.Literal(true, { description: 'A command waits for the device: `GET /v1/devices/{id}/command`.' }),
  ),
  config_version: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description:
        'Version of the desired settings, absent when none were ever wanted. A device that has another version reads them: `GET /v1/devices/{id}/config`.',
    }),
  ),
}

export const DeviceMoved = Type.Object(
  {
    error: Type.String({ description: 'A sentence for people. Branch on `code`.' }),
    code: Type.Literal('device_moved'),
    hub_url: Type.String({ description: 'Where to send this message and all that follow; store it.' }),
  },
  {
    title: 'DeviceMoved',
    description: 'Another hub serves the device now. Nothing of the message was stored here.',
  },
)

export const MassTelemetry = Type.Object(
  {
    devices: Type.Array(
      Type.Object(
        { id: Type.String({ format: 'uuid' }), access_key: Type.String(), ...Telemetry.properties },
        {
          title: 'DeviceTelemetry',
          description: 'One message, with the credentials of its device.',
          additionalProperties: false,
          ...needsTimestamp,
        },
      ),
      { minItems: 1, maxItems: massLimits.devices },
    ),
  },
  { title: 'MassTelemetry', description: 'Messages of many devices.', additionalProperties: false },
)

export const MassTelemetryResults = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          id: Type.Union([Type.String(), Type.Null()], { description: 'The device, as it was sent.' }),
          status: Type.Enum([200, 401, 410, 421, 422, 503], {
            description:
              '200: stored. 503: send this message again; with `unknown_outcome` it may be stored. Any other: it is not stored.',
          }),
          ...waitingForDevice,
          error: Type.Optional(Type.String()),
          code: Type.Optional(Type.String()),
          hub_url: Type.Optional(
            Type.String({
              description: 'With 421 `device_moved`: where to send the messages of this device from now on.',
            }),
          ),
          details: Type.Optional(Type.Array(FieldProblem)),
        },
        { title: 'MassTelemetryResult', description: 'The outcome of one message.' },
      ),
      { description: 'One result per device, in the order of the call.' },
    ),
  },
  { title: 'MassTelemetryResults', description: 'The outcome of each message, in the order of the request.' },
)
