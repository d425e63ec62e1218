import type { Subject } from '../store/tokens.ts'
import { idTokenSeconds } from './lifetimes.ts'

export interface Claims {
  sub: string
  name?: string
  email?: string
  email_verified?: boolean
  org_id?: string
  org_name?: string
}

/**
 * The id_token and userinfo have the same claims (contract 2.3). The organization is named only while the person belongs
 * to it: their tokens stay valid when they leave, but the claim would be false (decision 6.12).
 */
export function claimsOf(subject: Subject, scope: readonly string[]): Claims {
  return {
    sub: subject.user_id,
    ...(scope.includes('profile') ? { name: subject.name } : {}),
    ...(scope.includes('email') ? { email: subject.email, email_verified: subject.email_verified } : {}),
    ...(subject.belongs ? { org_id: subject.customer_id, org_name: subject.org_name } : {}),
  }
}

export interface IdTokenFacts {
  issuer: string
  client_id: string
  auth_time: Date
  /** How the person signed in, by one name and by its methods, space-separated (decision 6.69); null: not known. */
  acr: string | null
  amr: string | null
  /** Only at the code exchange: a refreshed id_token belongs to no authorization request. */
  nonce?: string | null
  /** SHA-256 of the access token in the same response. */
  access_digest: Buffer
  now: Date
}

export function idTokenClaims(subject: Subject, scope: readonly string[], facts: IdTokenFacts): object {
  const issuedAt = seconds(facts.now)
  return {
    iss: facts.issuer,
    aud: facts.client_id,
    iat: issuedAt,
    exp: issuedAt + idTokenSeconds,
    auth_time: seconds(facts.auth_time),
    ...(facts.acr ? { acr: facts.acr } : {}),
    ...(facts.amr ? { amr: facts.amr.split(' ') } : {}),
    ...(facts.nonce ? { nonce: facts.nonce } : {}),
    // OpenID Connect Core 3.1.3.6: the left half of the hash that the signature uses, SHA-256 for both algorithms.
    at_hash: facts.access_digest.subarray(0, 16).toString('base64url'),
    ...claimsOf(subject, scope),
  }
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
