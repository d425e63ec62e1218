import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { cancelWithdrawn } from '../../devices/commands/withdrawn-commands.ts'
import {
  type ApiKeyResponse,
  changeApiKey,
  createApiKey,
  getApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  versionOf,
} from '../../directory/api-keys.ts'
import { joinTransaction, transaction } from '../../platform/database/database.ts'
import type { App } from '../../platform/http/app.ts'
import { etagOf } from '../../platform/http/etag.ts'
import { Empty, Id, IdPath, Instant, Line, Name, Nullable, refusals } from '../../platform/http/schemas.ts'
import { lifetimes } from '../../platform/own-limits.ts'
import type { Context } from '../context.ts'
import type { Callers } from './caller.ts'
import { CredentialPermissions, PermittedSpaces, Within } from './permission-schemas.ts'
import { guardedChange, paged, tagged } from './route-schemas.ts'

const description = 'Requires a portal session: a token or an API key must not extend its own reach.'

const key = Type.String({ description: 'Returned only this once. Send it as `Authorization: <key>`.' })
const permissions = Type.Union([CredentialPermissions, Type.Null()], {
  description: 'What it may do. Null: everything but commands to devices.',
})
const expiryText = 'An instant after which it no longer works. Null: it works until it is revoked.'

const shown = {
  id: Id,
  name: Type.String(),
  used_by: Nullable(Type.String({ description: 'Who or what uses it.' })),
  hint: Type.String({ description: 'The first characters of the key.' }),
  expires_at: Nullable(Type.Unsafe<Date>({ ...Instant, description: expiryText })),
  expired: Type.Boolean({ description: 'It no longer works. It is listed for 30 days after its expiry.' }),
  replaced_by: Nullable(Type.String({ format: 'uuid', description: 'The key of its rotation.' })),
  created_by: Nullable(Id),
  created_at: Instant,
  last_used_at: Nullable(Instant),
}
const reach = { permissions, within: PermittedSpaces }
const previous_expires_at = Type.Unsafe<Date>({ ...Instant, description: 'Until when the key before still works.' })

const sent = {
  used_by: Type.Optional(Nullable(Line(200, { description: 'Who or what uses it.' }))),
  expires_at: Type.Optional(
    Nullable(Type.String({ format: 'date-time', description: `${expiryText} At most 1,830 days ahead.` })),
  ),
}
const sentReach = { permissions: Type.Optional(permissions), within: Type.Optional(Within) }

/** A customer's key has permissions and spaces; a partner's may do all that its API offers. */
const schemas = {
  Organization: schemasOf('', reach, sentReach),
  Partner: schemasOf('Partner', {}, {}) as unknown as ReturnType<typeof schemasOf<typeof reach, typeof sentReach>>,
}

function schemasOf<Read extends object, Sent extends object>(of: string, read: Read, written: Sent) {
  const closed = { additionalProperties: false }
  return {
    ApiKey: Type.Object(
      { ...shown, ...read },
      { title: `${of}ApiKey`, description: 'An API key, without the key itself.' },
    ),
    CreatedApiKey: Type.Object(
      { ...shown, ...read, key },
      { title: `Created${of}ApiKey`, description: 'A new API key, with the key itself.' },
    ),
    RotatedApiKey: Type.Object(
      { ...shown, ...read, key, previous_expires_at },
      { title: `Rotated${of}ApiKey`, description: 'The API key that replaces another, with the key itself.' },
    ),
    NewApiKey: Type.Object(
      { name: Name, ...sent, ...written },
      { title: `New${of}ApiKey`, description: 'An API key to create.', ...closed },
    ),
    ApiKeyChange: Type.Object(
      { name: Type.Optional(Name), ...sent, ...written },
      {
        title: `${of}ApiKeyChange`,
        description: 'What to change about an API key; what is absent stays.',
        minProperties: 1,
        ...closed,
      },
    ),
  }
}

const Rotation = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: lifetimes.maxPreviousSecretSeconds,
        default: lifetimes.previousSecretSeconds,
        description: 'How long the key before works on, unless it expires earlier. Use 0 after a leak.',
      }),
    ),
  },
  { title: 'ApiKeyRotation', description: 'How to rotate the key.', additionalProperties: false },
)
const Filters = {
  expiring: Type.Optional(
    Type.Boolean({ description: 'Only those that expire within 14 days and have not been rotated.' }),
  ),
}
const sessionOnly = { 403: ['portal_session_required'] } as const

/** With the instant as the verbs take it. */
function readKey<Body extends { expires_at?: string | null }>({ expires_at, ...body }: Body) {
  if (expires_at === undefined) return body
  return { ...body, expires_at: expires_at === null ? null : new Date(expires_at) }
}

export function apiKeyRoutes(app: App, context: Context, callers: Callers): void {
  const route = tagged(`${callers.api}: API keys`)
  const { ApiKey, CreatedApiKey, RotatedApiKey, NewApiKey, ApiKeyChange } = schemas[callers.api]
  // Checked before the path and body, so that a token or a key cannot probe what it may not use.
  app.register(async (scope: App) => {
    scope.addHook('onRequest', async (request) => callers.requirePortalSession(request))

    scope.get(
      '/api-keys',
      route({
        permission: 'integrations: manage',
        reads: 'bounded',
        summary: 'List API keys',
        description,
        ...paged(ApiKey, Filters, sessionOnly),
      }),
      async (request) => listApiKeys(context, callers.ownerOf(request), request.query),
    )

    scope.post(
      '/api-keys',
      route({
        permission: 'integrations: manage',
        creates: 'api_keys',
        summary: 'Create an API key',
        description,
        body: NewApiKey,
        response: { 201: CreatedApiKey, ...refusals(sessionOnly) },
      }),
      async (request, reply) => {
        const owner = callers.ownerOf(request)
        const created = await createApiKey(context, callers.actorOf(request), owner, readKey(request.body))
        return reply.code(201).send(created)
      },
    )

    scope.get(
      '/api-keys/:id',
      route({
        permission: 'integrations: manage',
        reads: 'bounded',
        summary: 'Get an API key',
        description,
        params: IdPath,
        response: { 200: ApiKey, ...refusals(sessionOnly) },
      }),
      async (request, reply) => versioned(reply, await getApiKey(context, callers.ownerOf(request), request.params.id)),
    )

    scope.patch(
      '/api-keys/:id',
      route({
        permission: 'integrations: manage',
        summary: 'Change an API key',
        description: `It counts from the next request on, and commands that it may no longer send are canceled unless a device has them. A key that has expired cannot be changed, but rotated. ${description}`,
        params: IdPath,
        body: ApiKeyChange,
        ...guardedChange(ApiKey, { ...sessionOnly, 409: ['api_key_expired'] }),
      }),
      async (request, reply) => {
        const { id } = request.params
        const target = { owner: callers.ownerOf(request), id, ifMatch: request.headers['if-match'] }
        const changed = await transaction(context.sql, async (sql) => {
          const joined = { ...context, sql: joinTransaction(sql) }
          const key = await changeApiKey(joined, callers.actorOf(request), target, readKey(request.body))
          await cancelWithdrawn(context, sql, key.id)
          return key
        })
        return versioned(reply, changed)
      },
    )

    scope.post(
      '/api-keys/:id/rotate',
      route({
        permission: 'integrations: manage',
        creates: { unlimited: 'it replaces a key' },
        summary: 'Rotate an API key',
        description: `A new key with the same name, permissions and length of life. The key before works on for a while: two are valid at once, and one that it had replaced itself ends now. ${description}`,
        params: IdPath,
        body: Nullable(Rotation),
        response: {
          201: RotatedApiKey,
          ...refusals({ ...sessionOnly, 409: ['already_rotated', 'too_many_api_keys'] }),
        },
      }),
      async (request, reply) => {
        const target = { owner: callers.ownerOf(request), id: request.params.id }
        const { overlap_seconds } = request.body ?? {}
        return reply.code(201).send(await rotateApiKey(context, callers.actorOf(request), target, overlap_seconds))
      },
    )

    scope.delete(
      '/api-keys/:id',
      route({
        permission: 'integrations: manage',
        summary: 'Revoke an API key',
        description: `It stops working from the next request on, and its commands that no device has yet are canceled. ${description}`,
        params: IdPath,
        response: { 204: Empty, ...refusals(sessionOnly) },
      }),
      async (request, reply) => {
        const [actor, owner] = [callers.actorOf(request), callers.ownerOf(request)]
        const id = request.params.id.toLowerCase()
        await transaction(context.sql, async (sql) => {
          await revokeApiKey({ ...context, sql: joinTransaction(sql) }, actor, owner, id)
          await cancelWithdrawn(context, sql, id)
        })
        return reply.code(204).send()
      },
    )
  })
}

function versioned(reply: FastifyReply, key: ApiKeyResponse): ApiKeyResponse {
  reply.header('etag', etagOf(versionOf(key)))
  return key
}
