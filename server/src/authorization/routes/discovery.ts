import { createHash } from 'node:crypto'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { writeRefusal } from '../../platform/http/refusals.ts'
import { when } from '../../platform/http/schemas.ts'
import type { Refusal } from '../../platform/refusal.ts'
import { acrValues } from '../authorize/acr.ts'
import { prompts } from '../authorize/authorization-request.ts'
import { challengeMethod } from '../authorize/pkce.ts'
import { scopes } from '../authorize/scope.ts'
import type { Context } from '../context.ts'
import { publishedKeys } from '../keys/signing-keys.ts'
import { specLimits } from '../spec-limits.ts'
import { TooManyRequests } from '../token/oauth-refusal.ts'
import { limitByAddress, PlainError } from './oauth-endpoint.ts'

const Metadata = Type.Object(
  {
    issuer: Type.String({ description: 'The public address of this service.' }),
    authorization_endpoint: Type.String({ description: 'Where a person is sent to connect an application.' }),
    token_endpoint: Type.String({ description: 'Where a code or a refresh token is exchanged.' }),
    userinfo_endpoint: Type.String({ description: 'Who signed in.' }),
    revocation_endpoint: Type.String({ description: 'Where a token is revoked.' }),
    jwks_uri: Type.String({ description: 'The keys that sign id_tokens.' }),
  },
  {
    title: 'ServerMetadata',
    description: 'The addresses and abilities of this service, as in RFC 8414 and OpenID Connect Discovery.',
    additionalProperties: true,
  },
)
const KeySet = Type.Object(
  {
    keys: Type.Array(Type.Object({}, { additionalProperties: true, description: 'A public key as in RFC 7517.' }), {
      description: 'The public keys.',
    }),
  },
  { title: 'KeySet', description: 'The public keys that verify id_tokens, as in RFC 7517.' },
)
const notModified = Type.Null({ description: 'Not changed since the version of `If-None-Match`.' })
const limited = { 304: notModified, 429: when(PlainError, 'Too many requests from this address. Wait a minute.') }

/** Contract 4.5: each of the two documents has its own limit. */
export async function discoveryRoutes(app: App, context: Context): Promise<void> {
  await app.register(async (scope) => {
    publicDocument(scope)
    limitByAddress(scope, context, 'discovery', specLimits.discoveryRequestsPerAddress)
    const read = async (request: FastifyRequest, reply: FastifyReply) =>
      sendCacheable(request, reply, discoveryDocument(context.addresses.publicUrl), 3_600)
    const schema = {
      summary: 'Discovery',
      description: 'The addresses and abilities of the authorization server. Cache it for an hour.',
      tags: ['authorization'],
      security: [],
      response: { 200: Metadata, ...limited },
    }
    scope.get('/.well-known/openid-configuration', { schema }, read)
    // RFC 8414: OAuth clients without OpenID Connect look here for the same document.
    scope.get('/.well-known/oauth-authorization-server', { schema }, read)
  })
  await app.register(async (scope) => {
    publicDocument(scope)
    limitByAddress(scope, context, 'jwks', specLimits.keySetRequestsPerAddress)
    const schema = {
      summary: 'Key set',
      description:
        'The public keys that verify id_tokens. Cache it for five minutes; read it again when a `kid` is unknown.',
      tags: ['authorization'],
      security: [],
      response: { 200: KeySet, ...limited },
    }
    scope.get('/oauth/.well-known/jwks.json', { schema }, async (request, reply) =>
      sendCacheable(request, reply, { keys: await publishedKeys(context) }, 300),
    )
  })
}

function publicDocument(app: App): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'access-control-allow-origin': '*', 'access-control-expose-headers': 'ETag' })
  })
  app.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
    if (error instanceof TooManyRequests) return reply.code(429).send({ error: error.code })
    return writeRefusal(error, request, reply)
  })
}

function sendCacheable(request: FastifyRequest, reply: FastifyReply, document: object, maxAge: number): FastifyReply {
  const text = JSON.stringify(document)
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  reply.headers({ etag, 'cache-control': `public, max-age=${maxAge}` })
  const known = (request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (known.includes(etag) || known.includes('*')) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').serializer(String).send(text)
}

const protocolClaims = ['sub', 'iss', 'aud', 'iat', 'exp', 'auth_time', 'acr', 'amr', 'nonce', 'at_hash']

/** OpenID Connect Discovery 1.0 section 3 and RFC 8414 section 2: every field that applies. */
function discoveryDocument(issuer: string) {
  const authMethods = ['client_secret_basic', 'client_secret_post']
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    jwks_uri: `${issuer}/oauth/.well-known/jwks.json`,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    token_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_methods_supported: authMethods,
    code_challenge_methods_supported: [challengeMethod],
    claim_types_supported: ['normal'],
    claims_supported: [...protocolClaims, 'name', 'email', 'email_verified', 'org_id', 'org_name'],
    acr_values_supported: acrValues,
    prompt_values_supported: prompts,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    require_request_uri_registration: false,
    // RFC 9207: every redirect carries `iss`, so that a client of several services knows which one responded.
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${issuer}/docs`,
  }
}
