import { Type } from 'typebox'
import { readIntegrationLog } from '../../../events/integration-log.ts'
import type { App } from '../../../platform/http/app.ts'
import { Id, Instant, Nullable } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-partner.ts'

const Failure = Type.Object(
  {
    id: Id,
    at: Instant,
    request_id: Type.String({
      description: 'The `x-request-id` of the response; over MQTT, the id of the connection.',
    }),
    endpoint: Type.String({ description: 'Such as `token`, `authorize`, `registration`, `telemetry`, `mqtt`.' }),
    status: Type.Integer({ description: 'The HTTP status of the response; 0 where there was none.' }),
    error: Type.String({ description: 'The error in the response.' }),
    description: Nullable(Type.String({ description: 'The sentence in the response.' })),
    reason: Type.String({ description: 'The reason, which is not sent to the client.' }),
    detail: Nullable(Type.String({ description: 'What was received. Never a token, secret or code.' })),
    advice: Type.String({ description: 'What to do about it.' }),
    application_id: Nullable(Id),
    model_id: Nullable(Id),
    device_id: Nullable(Id),
  },
  { title: 'IntegrationFailure', description: 'A request of an application or a device that failed, with the reason.' },
)

const Filter = Type.Optional(Type.String({ maxLength: 100 }))

const route = tagged('Partner: integration log')

export function integrationLogRoutes(app: App, context: Context): void {
  app.get(
    '/integration-log',
    route({
      reads: 'bounded',
      summary: 'List the latest failures of applications and models, newest first',
      description: 'The newest 100 of each application or model and reason, for 14 days.',
      ...paged(Failure, {
        application_id: Type.Optional(Id),
        model_id: Type.Optional(Id),
        endpoint: Filter,
        error: Filter,
        reason: Filter,
        request_id: Filter,
      }),
    }),
    async (request) => {
      const { limit, after, ...filter } = request.query
      const page = { ...(limit === undefined ? {} : { limit }), ...(after === undefined ? {} : { after }) }
      return readIntegrationLog(context, callerOf(request).partner_id, filter, page)
    },
  )
}
