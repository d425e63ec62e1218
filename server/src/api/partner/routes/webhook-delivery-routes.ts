import { Type } from 'typebox'
import { listWebhookDeliveries, redeliver, sendTestEvent } from '../../../events/webhooks/endpoints.ts'
import type { App } from '../../../platform/http/app.ts'
import { Id, IdPath, Instant, Nullable, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-partner.ts'

const route = tagged('Partner: webhooks')

const State = Type.Enum(['pending', 'delivered', 'failed'])

const Delivery = Type.Object(
  {
    event_id: Type.String({ format: 'uuid', description: 'Sent as `webhook-id`, the same in every attempt.' }),
    type: Type.String(),
    state: State,
    queued_at: Instant,
    attempts: Type.Integer(),
    // Null while an attempt is under way, and when none will follow.
    next_attempt_at: Nullable(Instant),
    next_attempt_reason: Nullable(
      Type.Enum(['under_way', 'queued', 'retry_delay', 'event_type_failing'], {
        description:
          'Why it waits: `under_way` it is being sent now, `queued` it is due and is sent as soon as a slot is free, ' +
          '`retry_delay` its last attempt failed, `event_type_failing` other deliveries of this event type failed several ' +
          'times in a row, so they are tried one at a time with pauses of up to 30 seconds.',
      }),
    ),
    attempted_at: Nullable(Instant),
    response_status: Nullable(Type.Integer()),
    failure: Nullable(Type.String({ description: 'Why the last attempt failed.' })),
    duration_ms: Nullable(Type.Integer()),
    payload: Type.String({ description: 'The body, byte for byte as it was signed.' }),
  },
  { title: 'WebhookDelivery', description: 'An event on its way to a webhook.' },
)

const DeliveryPath = Type.Object({ id: Id, event_id: Id })

export function webhookDeliveryRoutes(app: App, context: Context): void {
  app.get(
    '/webhooks/:id/deliveries',
    route({
      reads: 'bounded',
      summary: 'List deliveries, newest first',
      description: 'Kept for 14 days.',
      params: IdPath,
      ...paged(Delivery, { state: Type.Optional(State) }),
    }),
    async (request) => listWebhookDeliveries(context, callerOf(request).partner_id, request.params.id, request.query),
  )

  app.post(
    '/webhooks/:id/deliveries/:event_id/redeliver',
    route({
      creates: { unlimited: 'queues an event that exists' },
      summary: 'Redeliver an event',
      description:
        'Sent at once, with a new series of attempts, whatever happened to it or to other deliveries before.',
      params: DeliveryPath,
      response: { 202: Delivery, ...refusals({ 409: ['webhook_disabled', 'delivery_under_way'] }) },
    }),
    async (request, reply) => {
      const { id, event_id } = request.params
      return reply.code(202).send(await redeliver(context, callerOf(request).partner_id, id, event_id))
    },
  )

  app.post(
    '/webhooks/:id/test',
    route({
      creates: { unlimited: 'at most 60 per minute and webhook, deleted after two weeks' },
      summary: 'Send a test event',
      description: 'A `webhook.test` is sent at once, whatever failed before. The delivery log shows the outcome.',
      params: IdPath,
      response: { 202: Delivery, ...refusals({ 409: ['webhook_disabled'] }) },
    }),
    async (request, reply) =>
      reply.code(202).send(await sendTestEvent(context, callerOf(request).partner_id, request.params.id)),
  )
}
