import { createHash, timingSafeEqual } from 'node:crypto'

export type CodeVerdict =
  | 'exchange'
  | 'used'
  | 'spent'
  | 'expired'
  | 'revoked'
  | 'redirect_differs'
  | 'verifier_mismatch'

export interface CodeFacts {
  redirect_uri: string
  code_challenge: string
  expires_at: Date
  used_at: Date | null
  wrong_verifiers: number
  /** When its grant was revoked. */
  revoked_at: Date | null
}

/** After this many wrong verifiers a code is spent: whoever holds it without its verifier is guessing. */
export const maxWrongVerifiers = 5

/** The code rows of the spec's section 3. Call it only for the client the code was issued to. */
export function judgeCode(
  code: CodeFacts,
  shown: { redirect_uri: string; code_verifier: string },
  now: Date,
): CodeVerdict {
  if (code.wrong_verifiers >= maxWrongVerifiers) return 'spent'
  if (code.used_at) return 'used'
  if (code.revoked_at) return 'revoked'
  if (now >= code.expires_at) return 'expired'
  if (code.redirect_uri !== shown.redirect_uri) return 'redirect_differs'
  return verifierMatches(shown.code_verifier, code.code_challenge) ? 'exchange' : 'verifier_mismatch'
}

/** RFC 7636 section 4.1: 43 to 128 unreserved characters. */
const verifierPattern = /^[A-Za-z0-9\-._~]{43,128}$/

function verifierMatches(verifier: string, challenge: string): boolean {
  if (!verifierPattern.test(verifier)) return false
  const actual = Buffer.from(createHash('sha256').update(verifier, 'ascii').digest('base64url'))
  const expected = Buffer.from(challenge)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
