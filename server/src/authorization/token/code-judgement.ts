import { ownLimits } from '../../platform/own-limits.ts'
import { verifierMatches } from '../authorize/pkce.ts'

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

/** The code rows of contract 3. Only for the client that the code was issued to. */
export function judgeCode(
  code: CodeFacts,
  presented: { redirect_uri: string; code_verifier: string },
  now: Date,
): CodeVerdict {
  if (code.wrong_verifiers >= ownLimits.wrongVerifiersPerCode) return 'spent'
  if (code.used_at) return 'used'
  if (code.revoked_at) return 'revoked'
  if (now >= code.expires_at) return 'expired'
  if (code.redirect_uri !== presented.redirect_uri) return 'redirect_differs'
  return verifierMatches(presented.code_verifier, code.code_challenge) ? 'exchange' : 'verifier_mismatch'
}
