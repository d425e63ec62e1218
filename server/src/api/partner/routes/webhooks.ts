import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
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
import { etagOf, IfMatch } from '../../../platform/http/etag.ts'
import { PageOf, PageQuery } from '../../../platform/http/pagination.ts'
import { Empty, Id, IdPath, Instant, Name, Nullable, refusals } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { callerOf } from '../authenticate.ts'

const tags = ['Partner: webhooks']

const Url = Type.String({ maxLength: 2_000, description: 'Absolute https; no loopback, private or reserved address.' })
const Events = Type.Array(Type.Enum([...eventTypes]), { minItems: 1, maxItems: 20 })

const Webhook = Type.Object({
  id: Id,
  url: Type.String(),
  description: Nullable(Type.String()),
  events: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  disabled_at: Nullable(Instant),
  disabled_because: Nullable(
    Type.Enum(['by_partner', 'gone', 'failing'], {
      description: '`gone`: it answered 410. `failing`: it took nothing for a day.',
    }),
  ),
  failing_since: Nullable(Instant),
  previous_secret_expires_at: Nullable(Instant),
  created_at: Instant,
})
const Secret = Type.String({ description: 'Shown this once: the `whsec_…` of Standard Webhooks.' })

const NewWebhook = Type.Object(
  { url: Url, description: Type.Optional(Nullable(Name)), events: Events },
  { additionalProperties: false },
)
const WebhookChange = Type.Object(
  {
    url: Type.Optional(Url),
    description: Type.Optional(Nullable(Name)),
    events: Type.Optional(Events),
    enabled: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, minProperties: 1 },
)
const Rotation = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 30 * 86_400,
        default: 86_400,
        description: 'How long the former secret signs as well; 0 for a leak.',
      }),
    ),
  },
  { additionalProperties: false },
)

export function webhookRoutes(app: App, context: Context): void {
  app.get(
    '/webhooks',
    {
      schema: {
        summary: 'List webhooks',
        tags,
        querystring: Type.Object(PageQuery),
        response: { 200: PageOf(Webhook) },
      },
    },
    async (request) => listWebhooks(context, callerOf(request).partner_id, request.query),
  )

  app.post(
    '/webhooks',
    {
      schema: {
        summary: 'Add a webhook',
        description:
          'Deliveries are signed as Standard Webhooks say and repeated for a day until they are answered 2xx.',
        tags,
        body: NewWebhook,
        response: {
          201: Type.Object({ ...Webhook.properties, secret: Secret }),
          ...refusals({ 409: ['too_many_webhooks'] }),
        },
      },
    },
    async (request, reply) => {
      const { actor, partner_id } = callerOf(request)
      return reply.code(201).send(await createWebhook(context, actor, partner_id, request.body))
    },
  )

  app.get(
    '/webhooks/:id',
    { schema: { summary: 'Get a webhook', tags, params: IdPath, response: { 200: Webhook } } },
    async (request, reply) => {
      const webhook = await getWebhook(context, callerOf(request).partner_id, request.params.id)
      return reply.header('etag', etagOf(settingsOf(webhook))).send(webhook)
    },
  )

  app.patch(
    '/webhooks/:id',
    {
      schema: {
        summary: 'Change, disable or enable a webhook',
        description: 'Disabling gives up what is pending; it can be redelivered once the webhook is enabled again.',
        tags,
        params: IdPath,
        headers: IfMatch,
        body: WebhookChange,
        response: { 200: Webhook, ...refusals({ 412: ['changed_meanwhile'] }) },
      },
    },
    async (request, reply) => {
      const { actor, partner_id: partnerId } = callerOf(request)
      const target = { partnerId, id: request.params.id, ifMatch: request.headers['if-match'] }
      const webhook = await changeWebhook(context, actor, target, request.body)
      return reply.header('etag', etagOf(settingsOf(webhook))).send(webhook)
    },
  )

  app.delete(
    '/webhooks/:id',
    { schema: { summary: 'Delete a webhook and its delivery log', tags, params: IdPath, response: { 204: Empty } } },
    async (request, reply) => {
      const { actor, partner_id } = callerOf(request)
      await deleteWebhook(context, actor, partner_id, request.params.id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/webhooks/:id/secret',
    {
      schema: {
        summary: "Rotate a webhook's secret",
        description: 'Both secrets sign every delivery during the overlap.',
        tags,
        params: IdPath,
        body: Nullable(Rotation),
        response: { 201: Type.Object({ secret: Secret, previous_secret_expires_at: Nullable(Instant) }) },
      },
    },
    async (request, reply) => {
      const { actor, partner_id } = callerOf(request)
      const overlap = request.body?.overlap_seconds
      return reply.code(201).send(await rotateWebhookSecret(context, actor, partner_id, request.params.id, overlap))
    },
  )
}
