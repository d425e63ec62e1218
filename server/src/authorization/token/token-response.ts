import { type Static, Type } from 'typebox'
import { digest, mintSecret } from '../../platform/secrets/secrets.ts'
import type { KeyFacts } from '../keys/key-schedule.ts'
import { chooseSigner, type SignerContext, signJwt } from '../keys/signer.ts'
import type { SigningThreads } from '../keys/signing-threads.ts'
import type { Subject } from '../store/tokens.ts'
import { idTokenClaims } from './claims.ts'
import type { Client } from './client-authentication.ts'
import { accessTokenSeconds } from './lifetimes.ts'
import { OAuthRefusal } from './oauth-refusal.ts'

/** What is sent, and the digests that are stored. */
export interface PreparedTokens {
  response: TokenResponse
  access_digest: Buffer
  refresh_digest: Buffer
}

export type TokenResponse = Static<typeof TokenResponse>
export const TokenResponse = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer(),
    refresh_token: Type.String(),
    scope: Type.String(),
    id_token: Type.Optional(Type.String()),
  },
  { title: 'Tokens', description: 'The tokens of a connection.' },
)

export interface IssueRequest {
  subject: Subject
  scope: string[]
  auth_time: Date
  acr: string | null
  /** Space-separated. */
  amr: string | null
  nonce?: string | null
}

export interface IssueContext extends SignerContext {
  signingThreads: SigningThreads
}

/**
 * Prepared before the code or refresh token is marked as used: when no id_token can be signed it stays valid, and the
 * client may retry (contract 7.3, decision 6.18).
 */
export async function prepareTokens(
  context: IssueContext,
  client: Client,
  issue: IssueRequest,
  keys: KeyFacts[],
): Promise<PreparedTokens> {
  const accessToken = mintSecret('access_token')
  const refreshToken = mintSecret('refresh_token')
  const response: TokenResponse = {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
    refresh_token: refreshToken,
    scope: issue.scope.join(' '),
  }
  const prepared = { response, access_digest: digest(accessToken), refresh_digest: digest(refreshToken) }
  if (!issue.scope.includes('openid')) return prepared
  const signer = await chooseSigner(context, keys, client.id_token_alg)
  if (!signer) {
    const sentence =
      'The id_token cannot be signed at the moment. The code or refresh token is still valid: try again later.'
    throw new OAuthRefusal('server_error', sentence, 'signing_unavailable', client.client_id)
  }
  const claims = idTokenClaims(issue.subject, issue.scope, {
    issuer: context.addresses.publicUrl,
    client_id: client.client_id,
    auth_time: issue.auth_time,
    acr: issue.acr,
    amr: issue.amr,
    nonce: issue.nonce ?? null,
    access_digest: prepared.access_digest,
    now: context.now(),
  })
  response.id_token = await signJwt(context.signingThreads, signer, claims)
  return prepared
}
