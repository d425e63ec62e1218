// Fastify alone: a route that validates the same body and returns the same bytes.
import fastify from 'fastify'
import { connectionsWaiting } from '../../server/src/platform/http/listen.ts'

const app = fastify({ logger: false })
app.post(
  '/v1/devices/:id/telemetry',
  {
    schema: {
      body: {
        type: 'object',
        required: ['status', 'telemetries'],
        additionalProperties: false,
        properties: {
          status: { enum: ['online', 'offline', 'error'] },
          telemetries: {
            type: 'object',
            maxProperties: 500,
            propertyNames: { minLength: 1, maxLength: 128 },
            additionalProperties: {
              anyOf: [{ type: 'number' }, { type: 'string', maxLength: 1_024 }, { type: 'boolean' }],
            },
          },
          timestamp: { type: 'string' },
          message_id: { type: 'string', maxLength: 64 },
        },
      },
      response: { 200: { type: 'object', properties: { success: { type: 'boolean' } } } },
    },
  },
  async () => ({ success: true }),
)
await app.listen({ host: '127.0.0.1', port: 0, backlog: connectionsWaiting })
process.send!({ port: (app.server.address() as { port: number }).port })
process.on('disconnect', () => process.exit(0))
