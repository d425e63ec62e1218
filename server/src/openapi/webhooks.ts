import { type EventType, eventMeanings, eventSchemas } from '../events/event-schemas.ts'
import { described } from './descriptions.ts'
import { exampleOf } from './examples.ts'
import type { Operation, Parameter, Schema } from './schema.ts'

/** The headers of every delivery, as in Standard Webhooks. */
export const deliveryHeaders: Record<string, Schema> = {
  'webhook-id': { type: 'string', description: 'The event, the same in every attempt: handle each id once.' },
  'webhook-timestamp': { type: 'string', description: 'When this attempt was made, in seconds since 1970.' },
  'webhook-signature': {
    type: 'string',
    description: '`v1,` and the HMAC-SHA-256 of `id.timestamp.body` in base64, once per valid secret.',
  },
}

/** What a partner's webhook receives, one operation per type of event. */
export function webhookOperations(): Record<string, Record<string, Operation>> {
  return Object.fromEntries(Object.keys(eventSchemas).map((type) => [type, { post: operationOf(type as EventType) }]))
}

function operationOf(type: EventType): Operation {
  const schema = described(eventSchemas[type] as Schema)
  const headers: Parameter[] = Object.entries(deliveryHeaders).map(([name, { description, ...header }]) => ({
    name,
    in: 'header',
    required: true,
    ...(description ? { description } : {}),
    schema: header,
  }))
  return {
    operationId: `webhooks.${type.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: eventMeanings[type].split('. ')[0]!.replace(/\.$/, ''),
    description: `${eventMeanings[type]} Check the signature before you read the body.`,
    tags: ['webhooks'],
    security: [],
    parameters: headers,
    requestBody: {
      description: 'The event.',
      required: true,
      content: { 'application/json': { schema, example: exampleOf(schema) } },
    },
    responses: {
      '2XX': { description: 'Received. Any other status, or none within 15 seconds, is tried again for a day.' },
      '410': { description: 'The webhook is disabled: nothing more is sent to it.' },
    },
  }
}
