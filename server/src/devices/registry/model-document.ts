import type { Context } from '../context.ts'
import type { DictionaryEntry } from '../store/dictionaries.ts'
import { Telemetry } from '../telemetry/telemetry-schemas.ts'
import { getDictionary } from './dictionary.ts'
import { getModel } from './models.ts'

/** OpenAPI 3.1 of the telemetry of one model: what its dictionary says, for the people who write its firmware. */
export async function describeModel(context: Context, partnerId: string, modelId: string): Promise<object> {
  const { name } = await getModel(context, partnerId, modelId)
  const { data_points } = await getDictionary(context, { partner_id: partnerId }, modelId)
  const { telemetries, ...others } = Telemetry.properties
  return {
    openapi: '3.1.0',
    info: {
      title: `Telemetry of ${name}`,
      version: '1',
      description:
        `What devices of the model ${modelId} send. A message with other data points, with values of another type or ` +
        'with values out of range is stored all the same.',
    },
    servers: [
      { url: context.addresses.hubUrl, description: 'Use the `hub_url` that the device got when it registered.' },
    ],
    security: [{ accessKey: [] }],
    paths: {
      '/v1/devices/{device_id}/telemetry': {
        post: {
          operationId: 'sendTelemetry',
          summary: 'Send telemetry',
          description: 'Every 30 to 60 seconds, and whenever something changes.',
          parameters: [{ name: 'device_id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/Telemetry' },
                example: { status: 'online', telemetries: exampleOf(data_points) },
              },
            },
          },
          responses: {
            200: { description: 'Stored.' },
            401: { description: 'The device is unknown, or the key is not its access key.' },
            422: { description: 'The message is not valid; `details` names the fields.' },
          },
        },
      },
    },
    components: {
      schemas: {
        Telemetry: {
          type: 'object',
          description: 'One message of a device.',
          required: ['status', 'telemetries'],
          properties: {
            ...others,
            telemetries: {
              ...telemetries,
              properties: Object.fromEntries(data_points.map((entry) => [entry.key, schemaOf(entry)])),
            },
          },
        },
      },
      securitySchemes: {
        accessKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The access_key of the device, without a scheme.',
        },
      },
    },
  }
}

const types = { number: 'number', boolean: 'boolean', text: 'string' }

function schemaOf({ type, label, description, unit, decimals, min, max, values }: DictionaryEntry): object {
  const meanings = (values ?? []).map(
    ({ value, label, alarm }) =>
      `\`${JSON.stringify(value)}\`${label === undefined ? '' : `: ${label}`}${alarm ? ' (alarm)' : ''}`,
  )
  const text = [description, meanings.join(', ')].filter(Boolean).join(' ')
  return {
    type: [types[type], 'null'],
    ...(label === undefined ? {} : { title: label }),
    ...(text ? { description: text } : {}),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...(unit === undefined ? {} : { 'x-unit': unit }),
    ...(decimals === undefined ? {} : { 'x-decimals': decimals }),
    ...(values === undefined ? {} : { 'x-values': values }),
  }
}

function exampleOf(entries: DictionaryEntry[]): object {
  return Object.fromEntries(entries.map((entry) => [entry.key, exampleValue(entry)]))
}

function exampleValue({ type, min, max, values }: DictionaryEntry): number | boolean | string {
  const usual = (values ?? []).find(({ alarm }) => !alarm)?.value
  if (type !== 'number') return usual ?? (type === 'boolean' ? false : 'text')
  return usual ?? min ?? max ?? 0
}
