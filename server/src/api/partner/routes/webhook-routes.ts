import { Type } from 'typebox'
import { eventTypes } from '../../../events/outbox.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  settingsOf,
} from '../../../events/webhooks/endpoints.ts'
import type { App } from '../../../platform/http/app.ts'
import { etagOf } from '../../../platform/http/etag.ts'
import { Empty, Id, IdPath, Instant, Name, Nullable } from '../../../platform/http/schemas.ts'
import { lifetimes } from '../../../platform/own-limits.ts'
import type { Context } from '../../context.ts'
import { guardedChange, paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-partner.ts'

const route = tagged('Partner: webhooks')

const Url = Type.String({ maxLength: 2_000, description: 'Absolute https; no loopback, private or reserved address.' })
const Events = Type.Array(Type.Enum([...eventTypes]), { minItems: 1, maxItems: 20 })

const Webhook = Type.Object(
  {
    id: Id,
    url: Type.String(),
    description: Nullable(Type.String()),
    events: Type.Array(Type.String()),
    enabled: Type.Boolean(),
    disabled_at: Nullable(Instant),
    disabled_because: Nullable(
      Type.Enum(['by_partner', 'gone', 'failing'], {
        description: '`gone`: it responded with 410. `failing`: it accepted nothing for a day.',
      }),
    ),
    failing_since: Nullable(Instant),
    previous_secret_expires_at: Nullable(Instant),
    created_at: Instant,
  },
  { title: 'Webhook', description: 'An address that receives events.' },
)
const Secret = Type.String({
  description:
    'Returned only this once: the `whsec_…` secret of Standard Webhooks. Stored encrypted, since it signs every delivery.',
})

const NewWebhook = Type.Object(
  { url: Url, description: Type.Optional(Nullable(Name)), events: Events },
  { title: 'NewWebhook', description: 'A webhook to add.', additionalProperties: false },
)
const WebhookChange = Type.Object(
  {
    url: Type.Optional(Url),
    description: Type.Optional(Nullable(Name)),
    events: Type.Optional(Events),
    enabled: Type.Optional(Type.Boolean()),
  },
  {
    title: 'WebhookChange',
    description: 'What to change about a webhook; what is absent stays.',
    additionalProperties: false,
    minProperties: 1,
  },
)
const Rotation = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: lifetimes.maxPreviousSecretSeconds,
        default: lifetimes.previousSecretSeconds,
        description: 'How long the previous secret also signs. Use 0 after a leak.',
      }),
    ),
  },
  { title: 'WebhookSecretRotation', description: 'How to rotate the secret.', additionalProperties: false },
)

export function webhookRoutes(app: App, context: Context): void {
  app.get(
    '/webhooks',
    route({
      reads: 'bounded',
      summary: 'List webhooks',
      description: 'The webhooks of this partner, without their secrets.',
      ...paged(Webhook),
    }),
    async (request) => listWebhooks(context, callerOf(request).partner_id, request.query),
  )

  app.post(
    '/webhooks',
    route({
      creates: 'webhooks',
      summary: 'Add a webhook',
      description: 'Deliveries are signed as in Standard Webhooks, and retried for a day until the response is 2xx.',
      body: NewWebhook,
      response: {
        201: Type.Object(
          { ...Webhook.properties, secret: Secret },
          { title: 'CreatedWebhook', description: 'A new webhook, with its secret.' },
        ),
      },
    }),
    async (request, reply) => {
      const { actor, partner_id } = callerOf(request)
      return reply.code(201).send(await createWebhook(context, actor, partner_id, request.body))
    },
  )

  app.get(
    '/webhooks/:id',
    route({
      reads: 'bounded',
      summary: 'Get a webhook',
      description: 'Its settings, and since when it fails if it does.',
      params: IdPath,
      response: { 200: Webhook },
    }),
    async (request, reply) => {
      const webhook = await getWebhook(context, callerOf(request).partner_id, request.params.id)
      return reply.header('etag', etagOf(settingsOf(webhook))).send(webhook)
    },
  )

  app.patch(
    '/webhooks/:id',
    route({
      summary: 'Change, disable or enable a webhook',
      description: 'Disabling drops pending deliveries. They can be redelivered once the webhook is enabled again.',
      params: IdPath,
      body: WebhookChange,
      ...guardedChange(Webhook),
    }),
    async (request, reply) => {
      const { actor, partner_id: partnerId } = callerOf(request)
      const target = { partnerId, id: request.params.id, ifMatch: request.headers['if-match'] }
      const webhook = await changeWebhook(context, actor, target, request.body)
      return reply.header('etag', etagOf(settingsOf(webhook))).send(webhook)
    },
  )

  app.delete(
    '/webhooks/:id',
    route({
      summary: 'Delete a webhook and its delivery log',
      description: 'Deliveries that wait are dropped.',
      params: IdPath,
      response: { 204: Empty },
    }),
    async (request, reply) => {
      const { actor, partner_id } = callerOf(request)
      await deleteWebhook(context, actor, partner_id, request.params.id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/webhooks/:id/secret',
    route({
      creates: { unlimited: 'changes a webhook that exists' },
      summary: "Rotate a webhook's secret",
      description: 'Both secrets sign every delivery during the overlap.',
      params: IdPath,
      body: Nullable(Rotation),
      response: {
        201: Type.Object(
          { secret: Secret, previous_secret_expires_at: Nullable(Instant) },
          { title: 'NewWebhookSecret', description: 'A new webhook secret.' },
        ),
      },
    }),
    async (request, reply) => {
      const { actor, partner_id } = callerOf(request)
      const overlap = request.body?.overlap_seconds
      return reply.code(201).send(await rotateWebhookSecret(context, actor, partner_id, request.params.id, overlap))
    },
  )
}
