import { createHash, timingSafeEqual } from 'node:crypto'

/** The only method: `plain` would reveal the verifier to anyone who reads the authorization request (contract 2.2). */
export const challengeMethod = 'S256'

/** The base64url form of a SHA-256 digest, without padding (decision 6.4). */
export function isChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}

/** RFC 7636 section 4.1: 43 to 128 unreserved characters. */
const verifierPattern = /^[A-Za-z0-9\-._~]{43,128}$/

/** RFC 7636 section 4.6. */
export function verifierMatches(verifier: string, challenge: string): boolean {
  if (!verifierPattern.test(verifier)) return false
  const actual = Buffer.from(createHash('sha256').update(verifier, 'ascii').digest('base64url'))
  const expected = Buffer.from(challenge)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
