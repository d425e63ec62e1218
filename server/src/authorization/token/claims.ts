/** Who signed in, and for which customer, as it is now. */
export interface Subject {
  user_id: string
  name: string
  email: string
  email_verified: boolean
  customer_id: string
  org_name: string
  /** Whether the person is an active member of the customer. */
  belongs: boolean
}

export interface Claims {
  sub: string
  name?: string
  email?: string
  email_verified?: boolean
  org_id?: string
  org_name?: string
}

/**
 * The id_token carries the same claims as userinfo (2.3). `sub` is the person, whichever customer they sign in for. The
 * organization is named only while the person belongs to it: tokens stay when somebody leaves, the claim must not.
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
  /** Only at the code exchange: a refreshed id_token answers no authorization request. */
  nonce?: string | null
  /** SHA-256 of the access token that comes with it. */
  access_digest: Buffer
  now: Date
  lifetimeSeconds: number
}

export function idTokenClaims(subject: Subject, scope: readonly string[], facts: IdTokenFacts): object {
  const issuedAt = seconds(facts.now)
  return {
    iss: facts.issuer,
    aud: facts.client_id,
    iat: issuedAt,
    exp: issuedAt + facts.lifetimeSeconds,
    auth_time: seconds(facts.auth_time),
    ...(facts.nonce ? { nonce: facts.nonce } : {}),
    // OpenID Connect Core 3.1.3.6: the left half; both algorithms are of the SHA-256 family.
    at_hash: facts.access_digest.subarray(0, 16).toString('base64url'),
    ...claimsOf(subject, scope),
  }
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
