import { specLimits } from '../spec-limits.ts'

export type RefreshVerdict = 'rotate' | 'retry' | 'replay' | 'expired' | 'revoked'

export interface RefreshTokenFacts {
  expires_at: Date
  rotated_at: Date | null
  /** When its grant was revoked. */
  revoked_at: Date | null
}

/** The refresh token rows of contract 3. Only for the client that the token was issued to. */
export function judgeRefresh(token: RefreshTokenFacts, now: Date): RefreshVerdict {
  if (token.revoked_at) return 'revoked'
  if (now >= token.expires_at) return 'expired'
  if (!token.rotated_at) return 'rotate'
  const seconds = (now.getTime() - token.rotated_at.getTime()) / 1000
  return seconds <= specLimits.refreshGraceSeconds ? 'retry' : 'replay'
}
