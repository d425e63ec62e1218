import { authenticatedAt, type Session } from '../../directory/accounts/sessions.ts'
import type { PendingRequest } from './pending-requests.ts'

type RequestFacts = Pick<PendingRequest, 'created_at' | 'prompt' | 'max_age' | 'login_hint' | 'hinted_user_id'>
type SessionFacts = Pick<Session, 'user_id' | 'email' | 'signed_in_at' | 'proved_at'>

/** `wrong_person`: signed in for this request, but not as the person whom the application named. */
export type SessionVerdict = 'proceed' | 'sign_in' | 'wrong_person'

/** Whether this session may decide, or the person has to sign in first (OpenID Connect Core 3.1.2.1). */
export function judgeSession(request: RequestFacts, session: SessionFacts | null, now: Date): SessionVerdict {
  if (!session) return 'sign_in'
  // Signed in for this request: asking again would loop for ever with prompt=login or max_age=0.
  const signedInForIt = session.signed_in_at >= request.created_at
  if (request.hinted_user_id !== null && request.hinted_user_id !== session.user_id) {
    return signedInForIt ? 'wrong_person' : 'sign_in'
  }
  if (signedInForIt) return 'proceed'
  if (request.prompt.includes('login')) return 'sign_in'
  const age = (now.getTime() - authenticatedAt(session).getTime()) / 1000
  if (request.max_age !== null && age > request.max_age) return 'sign_in'
  return hintsAtAnother(request, session) ? 'sign_in' : 'proceed'
}

/**
 * A login_hint is not verified: it can ask for another sign-in, but anyone may then sign in (decision 6.6). Only an email
 * address identifies a person here, and a verified id_token_hint takes precedence.
 */
function hintsAtAnother({ login_hint, hinted_user_id }: RequestFacts, { email }: SessionFacts): boolean {
  if (hinted_user_id !== null || !login_hint?.includes('@')) return false
  return login_hint.trim().toLowerCase() !== email.toLowerCase()
}
