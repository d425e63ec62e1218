import { Type } from 'typebox'
import { addSigningKey, listSigningKeys, removeSigningKey } from '../../../authorization/keys/signing-keys.ts'
import type { Context } from '../../../context.ts'
import { Instant, Nullable, refusals } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { operator } from '../authenticate.ts'

const Alg = Type.Union([Type.Literal('RS256'), Type.Literal('ES256')])

const SigningKey = Type.Object({
  kid: Type.String(),
  alg: Alg,
  state: Type.Union([Type.Literal('published'), Type.Literal('signing'), Type.Literal('retired')]),
  created_at: Instant,
  signs_from: Instant,
  signs_until: Nullable(Instant),
  published_until: Nullable(Instant),
})

const NewSigningKey = Type.Object({ alg: Type.Optional(Alg) }, { additionalProperties: false })

const leaked = Type.Boolean({
  default: false,
  description: 'Unpublish at once: every id_token it signed fails from now on.',
})

export function signingKeyRoutes(app: App, context: Context): void {
  app.get(
    '/signing-keys',
    {
      schema: {
        summary: 'List the signing keys that are published',
        response: { 200: Type.Object({ items: Type.Array(SigningKey), next: Type.Null() }) },
      },
    },
    // A handful at most, so one page.
    async () => ({ items: await listSigningKeys(context), next: null }),
  )

  app.post(
    '/signing-keys',
    {
      schema: {
        summary: 'Add a signing key, which signs 5 minutes from now (at once where no other can)',
        body: NewSigningKey,
        response: { 201: SigningKey },
      },
      // Nothing has to be said, so nothing has to be sent.
      preValidation: async (request) => {
        request.body ??= {}
      },
    },
    async (request, reply) => {
      const key = await addSigningKey(context, operator, request.body.alg ?? 'RS256')
      return reply.code(201).send(key)
    },
  )

  app.delete(
    '/signing-keys/:kid',
    {
      schema: {
        summary: 'Remove a signing key: it signs no more, and stays published until what it signed has expired',
        description:
          'The last key of its kind that can sign is never removed (409): add another one and wait until it signs. With ' +
          '`leaked`, a key that is published already signs at once instead.',
        params: Type.Object({ kid: Type.String({ maxLength: 100 }) }),
        querystring: Type.Object({ leaked: Type.Optional(leaked) }),
        response: { 204: Type.Unsafe<undefined>({ type: 'null' }), ...refusals({ 409: ['last_signing_key'] }) },
      },
    },
    async (request, reply) => {
      await removeSigningKey(context, operator, request.params.kid, { leaked: request.query.leaked ?? false })
      return reply.code(204).send(undefined)
    },
  )
}
