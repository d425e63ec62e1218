import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import { readIntegrationLog } from '../../../events/integration-log.ts'
import { PageOf, PageQuery } from '../../../platform/http/pagination.ts'
import { Id, Instant, Nullable } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { callerOf } from '../authenticate.ts'

const Failure = Type.Object({
  id: Id,
  at: Instant,
  request_id: Type.String({ description: 'The `x-request-id` of the answer; over MQTT the connection.' }),
  endpoint: Type.String({ description: 'Such as `token`, `authorize`, `registration`, `telemetry`, `mqtt`.' }),
  status: Type.Integer({ description: 'The HTTP status the client got; 0 where there was none.' }),
  error: Type.String({ description: 'The error the client got.' }),
  description: Nullable(Type.String({ description: 'The sentence the client got.' })),
  reason: Type.String({ description: 'The private reason behind it.' }),
  detail: Nullable(Type.String({ description: 'What was seen. Never a token, secret or code.' })),
  advice: Type.String({ description: 'What to do about it.' }),
  application_id: Nullable(Id),
  model_id: Nullable(Id),
  device_id: Nullable(Id),
})

const word = Type.Optional(Type.String({ maxLength: 100 }))

export function integrationLogRoutes(app: App, context: Context): void {
  app.get(
    '/integration-log',
    {
      schema: {
        summary: 'List the last failures of applications and models, newest first',
        description: 'The newest 100 of each application or model and reason, for 14 days.',
        tags: ['Partner: integration log'],
        querystring: Type.Object({
          ...PageQuery,
          application_id: Type.Optional(Id),
          model_id: Type.Optional(Id),
          endpoint: word,
          error: word,
          reason: word,
          request_id: word,
        }),
        response: { 200: PageOf(Failure) },
      },
    },
    async (request) => {
      const { limit, after, ...filter } = request.query
      const page = { ...(limit === undefined ? {} : { limit }), ...(after === undefined ? {} : { after }) }
      return readIntegrationLog(context, callerOf(request).partner_id, filter, page)
    },
  )
}
