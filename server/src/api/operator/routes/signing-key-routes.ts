import { Type } from 'typebox'
import { addSigningKey, listSigningKeys, removeSigningKey } from '../../../authorization/keys/signing-keys.ts'
import type { App } from '../../../platform/http/app.ts'
import { Instant, Nullable, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { operator } from '../authenticate-operator.ts'

const Alg = Type.Enum(['RS256', 'ES256'])

const SigningKey = Type.Object(
  {
    kid: Type.String(),
    alg: Alg,
    state: Type.Enum(['published', 'signing', 'retired']),
    created_at: Instant,
    signs_from: Instant,
    signs_until: Nullable(Instant),
    published_until: Nullable(Instant),
  },
  { title: 'SigningKey', description: 'A key that signs id_tokens.' },
)

const NewSigningKey = Type.Object(
  { alg: Type.Optional(Alg) },
  { title: 'NewSigningKey', description: 'A signing key to add.', additionalProperties: false },
)

const leaked = Type.Boolean({
  default: false,
  description: 'Unpublish it at once: every id_token it signed is invalid from now on.',
})

const route = tagged('operator')

export function signingKeyRoutes(app: App, context: Context): void {
  app.get(
    '/signing-keys',
    route({
      reads: 'bounded',
      summary: 'List the published signing keys',
      description: 'The keys of the key set, and when each of them signs.',
      response: {
        200: Type.Object(
          { items: Type.Array(SigningKey), next: Type.Null() },
          { title: 'SigningKeyList', description: 'All signing keys; there is one page.' },
        ),
      },
    }),
    // There are only a few keys, so one page.
    async () => ({ items: await listSigningKeys(context), next: null }),
  )

  app.post(
    '/signing-keys',
    route({
      creates: { unlimited: 'only the operator creates them' },
      summary: 'Add a signing key, which starts to sign in 5 minutes (at once if no other key can)',
      description: 'Clients that cache the key set know the key before it signs.',
      body: Nullable(NewSigningKey),
      response: { 201: SigningKey },
    }),
    async (request, reply) => {
      return reply.code(201).send(await addSigningKey(context, operator, request.body?.alg ?? 'RS256'))
    },
  )

  app.delete(
    '/signing-keys/:kid',
    route({
      summary: 'Remove a signing key: it stops signing, and stays published until everything it signed has expired',
      description:
        'The last key of its kind that can sign is never removed (409): add another one and wait until it signs. With ' +
        '`leaked`, the key that is already published signs at once instead.',
      params: Type.Object({ kid: Type.String({ maxLength: 100 }) }),
      querystring: Type.Object({ leaked: Type.Optional(leaked) }),
      response: { 204: Type.Unsafe<undefined>({ type: 'null' }), ...refusals({ 409: ['last_signing_key'] }) },
    }),
    async (request, reply) => {
      await removeSigningKey(context, operator, request.params.kid, { leaked: request.query.leaked ?? false })
      return reply.code(204).send(undefined)
    },
  )
}
