import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { createApiKey, getApiKey, listApiKeys, revokeApiKey } from '../../directory/organization/api-keys.ts'
import { PageOf, PageQuery } from '../../platform/http/pagination.ts'
import { Empty, Id, IdPath, Instant, Name, Nullable, refusals } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import type { Callers } from './caller.ts'

const description = 'Portal session only: a token or a key must not be able to extend its own reach.'

const ApiKey = Type.Object({
  id: Id,
  name: Type.String(),
  hint: Type.String({ description: 'How the key begins.' }),
  created_by: Nullable(Id),
  created_at: Instant,
  last_used_at: Nullable(Instant),
})
const CreatedApiKey = Type.Object({
  ...ApiKey.properties,
  key: Type.String({ description: 'Shown this once. Send it as `Authorization: <key>`.' }),
})
const NewApiKey = Type.Object({ name: Name }, { additionalProperties: false })
const sessionOnly = refusals({ 403: ['portal_session_required'] })

export function apiKeyRoutes(app: App, context: Context, callers: Callers): void {
  const tags = [`${callers.api}: API keys`]
  // Before the body and the path are looked at: what a token or a key may not do, it may not probe either.
  app.register(async (scope: App) => {
    scope.addHook('onRequest', async (request) => {
      callers.requirePortalSession(request)
    })

    scope.get(
      '/api-keys',
      {
        schema: {
          summary: 'List API keys',
          description,
          tags,
          querystring: Type.Object(PageQuery),
          response: { 200: PageOf(ApiKey), ...sessionOnly },
        },
      },
      async (request) => listApiKeys(context, callers.ownerOf(request), request.query),
    )

    scope.post(
      '/api-keys',
      {
        schema: {
          summary: 'Make an API key',
          description,
          tags,
          body: NewApiKey,
          response: { 201: CreatedApiKey, ...sessionOnly },
        },
      },
      async (request, reply) => {
        const owner = callers.ownerOf(request)
        return reply.code(201).send(await createApiKey(context, callers.actorOf(request), owner, request.body.name))
      },
    )

    scope.get(
      '/api-keys/:id',
      {
        schema: {
          summary: 'Get an API key',
          description,
          tags,
          params: IdPath,
          response: { 200: ApiKey, ...sessionOnly },
        },
      },
      async (request) => getApiKey(context, callers.ownerOf(request), request.params.id),
    )

    scope.delete(
      '/api-keys/:id',
      {
        schema: {
          summary: 'Revoke an API key',
          description: `It stops working with the next request. ${description}`,
          tags,
          params: IdPath,
          response: { 204: Empty, ...sessionOnly },
        },
      },
      async (request, reply) => {
        await revokeApiKey(context, callers.actorOf(request), callers.ownerOf(request), request.params.id)
        return reply.code(204).send()
      },
    )
  })
}
