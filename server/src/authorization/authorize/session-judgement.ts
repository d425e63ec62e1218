import type { PendingRequest } from './pending-requests.ts'
import type { Session } from './visitor.ts'

type Asked = Pick<PendingRequest, 'created_at' | 'prompt' | 'max_age' | 'login_hint' | 'hinted_user_id'>
type SignedIn = Pick<Session, 'user_id' | 'email' | 'signed_in_at'>

/** `wrong_person`: they signed in for this very request, as somebody else than the one the application asked for. */
export type SessionVerdict = 'go_on' | 'sign_in' | 'wrong_person'

/** Whether this session may answer the request, or the person has to sign in first (OpenID Connect Core 3.1.2.1). */
export function judgeSession(request: Asked, session: SignedIn | null, now: Date): SessionVerdict {
  if (!session) return 'sign_in'
  // Signed in for this very request: asking once more would never end, with max_age=0 least of all.
  const signedInForIt = session.signed_in_at >= request.created_at
  if (request.hinted_user_id !== null && request.hinted_user_id !== session.user_id) {
    return signedInForIt ? 'wrong_person' : 'sign_in'
  }
  if (signedInForIt) return 'go_on'
  if (request.prompt.includes('login')) return 'sign_in'
  const age = (now.getTime() - session.signed_in_at.getTime()) / 1000
  if (request.max_age !== null && age > request.max_age) return 'sign_in'
  return namesAnother(request, session) ? 'sign_in' : 'go_on'
}

/**
 * A login_hint is what somebody typed once, not a proof: it asks for another sign-in, but does not decide who that must
 * be. Only an email address names a person here, and where a verified id_token_hint came along it has decided.
 */
function namesAnother({ login_hint, hinted_user_id }: Asked, { email }: SignedIn): boolean {
  if (hinted_user_id !== null || !login_hint?.includes('@')) return false
  return login_hint.trim().toLowerCase() !== email.toLowerCase()
}
