import type { FailureReason } from '../../events/failure-reasons.ts'
import type { BaseContext } from '../../platform/context.ts'
import { coalesceSame } from '../../platform/database/coalesce-same.ts'
import { Refusal } from '../../platform/refusal.ts'
import { spaceSeparated } from '../authorize/scope.ts'
import { findSubjects, type Subject, type SubjectIds } from '../store/tokens.ts'
import { type BearerLookUp, checkBearer } from './bearer.ts'
import { type Claims, claimsOf } from './claims.ts'

/** Contract 7.5: the code is the whole body, and is repeated in WWW-Authenticate. */
export class BearerRefusal extends Refusal {
  constructor(
    status: 401 | 403,
    code: 'invalid_token' | 'insufficient_scope',
    known: { reason?: FailureReason; clientId?: string } = {},
  ) {
    super(status, code, code, known)
  }
}

/** RFC 6750 section 2.1; the scheme's case does not matter. */
function readBearer(authorization: string | undefined): string | null {
  return /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? '')?.[1] ?? null
}

/** Contract 4.4: the claims of the id_token with today's values. The role of the person does not matter. */
export async function userinfo(
  context: BearerLookUp & SubjectLookUp,
  authorization: string | undefined,
): Promise<Claims> {
  const token = readBearer(authorization)
  const bearer = token ? await checkBearer(context, token) : null
  if (bearer === null) throw new BearerRefusal(401, 'invalid_token')
  const { client_id: clientId } = bearer
  if (bearer.invalid_because !== null) {
    throw new BearerRefusal(401, 'invalid_token', { reason: bearer.invalid_because, clientId })
  }
  const scope = spaceSeparated(bearer.scope)
  if (!scope.includes('openid')) {
    throw new BearerRefusal(403, 'insufficient_scope', { reason: 'scope_lacks_openid', clientId })
  }
  const subject = await context.findSubject(bearer)
  // Deleted since the token was looked up.
  if (subject === null) throw new BearerRefusal(401, 'invalid_token', { clientId })
  return claimsOf(subject, scope)
}

export interface SubjectLookUp {
  findSubject: ReturnType<typeof createSubjectLookUp>
}

/** Applications ask who signed in as often as they please, so many of them share a statement. */
export function createSubjectLookUp(context: BaseContext) {
  return coalesceSame<SubjectIds, Subject | null>(
    ({ user_id, customer_id }) => `${user_id} ${customer_id}`,
    (pairs) => findSubjects(context.hot, pairs),
  )
}
