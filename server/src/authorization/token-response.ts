import type { Context } from '../context.ts'
import { mintSecret } from '../platform/secrets.ts'
import { idTokenClaims, type Subject } from './claims.ts'
import type { Client } from './client-authentication.ts'
import { accessTokenSeconds, idTokenSeconds } from './lifetimes.ts'
import { OAuthRefusal } from './oauth-refusal.ts'
import { currentSigner, type Signer, signJwt } from './signer.ts'

export interface TokenResponse {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
  id_token?: string
}

export interface Issue {
  subject: Subject
  scope: string[]
  auth_time: Date
  nonce?: string | null
}

/** Asked for early, so that it is read together with the code or the token. */
export type SignerSoon = Promise<Signer | null>

export function signerFor(context: Context, client: Client): SignerSoon {
  const signer = currentSigner(context, client.id_token_alg)
  // Whoever needs it awaits it; a refusal on the way there must not leave an error that nobody handles.
  signer.catch(() => {})
  return signer
}

/**
 * Everything the client will be given, made before anything is spent: where no id_token can be signed the code or the
 * refresh token stays good, and the client may retry (7.3).
 */
export async function prepareTokens(
  context: Context,
  client: Client,
  issue: Issue,
  signerSoon: SignerSoon,
): Promise<TokenResponse> {
  const accessToken = mintSecret('access_token')
  const response: TokenResponse = {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
    refresh_token: mintSecret('refresh_token'),
    scope: issue.scope.join(' '),
  }
  if (!issue.scope.includes('openid')) return response
  const signer = await signerSoon
  if (!signer) {
    const sentence = 'The id_token could not be signed. Nothing was spent: try again later.'
    throw new OAuthRefusal('server_error', sentence, 'signing_unavailable', client.client_id)
  }
  const claims = idTokenClaims(issue.subject, issue.scope, {
    issuer: context.addresses.publicUrl,
    client_id: client.client_id,
    auth_time: issue.auth_time,
    nonce: issue.nonce ?? null,
    access_token: accessToken,
    now: context.now(),
    lifetimeSeconds: idTokenSeconds,
  })
  response.id_token = await signJwt(signer, claims)
  return response
}
