import { Type } from 'typebox'
import { createApiKey, getApiKey, listApiKeys, revokeApiKey } from '../../directory/api-keys.ts'
import type { App } from '../../platform/http/app.ts'
import { Empty, Id, IdPath, Instant, Name, Nullable, refusals } from '../../platform/http/schemas.ts'
import type { Context } from '../context.ts'
import type { Callers } from './caller.ts'
import { paged, tagged } from './route-schemas.ts'

const description = 'Requires a portal session: a token or an API key must not extend its own reach.'

const ApiKey = Type.Object(
  {
    id: Id,
    name: Type.String(),
    hint: Type.String({ description: 'The first characters of the key.' }),
    created_by: Nullable(Id),
    created_at: Instant,
    last_used_at: Nullable(Instant),
  },
  { title: 'ApiKey', description: 'An API key, without the key itself.' },
)
const CreatedApiKey = Type.Object(
  {
    ...ApiKey.properties,
    key: Type.String({ description: 'Returned only this once. Send it as `Authorization: <key>`.' }),
  },
  { title: 'CreatedApiKey', description: 'A new API key, with the key itself.' },
)
const NewApiKey = Type.Object(
  { name: Name },
  { title: 'NewApiKey', description: 'An API key to create.', additionalProperties: false },
)
const sessionOnly = { 403: ['portal_session_required'] }

export function apiKeyRoutes(app: App, context: Context, callers: Callers): void {
  const route = tagged(`${callers.api}: API keys`)
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
        ...paged(ApiKey, {}, sessionOnly),
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
        return reply.code(201).send(await createApiKey(context, callers.actorOf(request), owner, request.body.name))
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
      async (request) => getApiKey(context, callers.ownerOf(request), request.params.id),
    )

    scope.delete(
      '/api-keys/:id',
      route({
        permission: 'integrations: manage',
        summary: 'Revoke an API key',
        description: `It stops working from the next request on. ${description}`,
        params: IdPath,
        response: { 204: Empty, ...refusals(sessionOnly) },
      }),
      async (request, reply) => {
        await revokeApiKey(context, callers.actorOf(request), callers.ownerOf(request), request.params.id)
        return reply.code(204).send()
      },
    )
  })
}
