import type { Context } from '../../context.ts'
import type { FailureReason } from '../../events/failure-reasons.ts'
import { Refusal } from '../../platform/refusal.ts'
import { scopeValues } from '../authorize/scope.ts'
import { findSubject } from '../store/subjects.ts'
import { checkBearer } from './bearer.ts'
import { type Claims, claimsOf } from './claims.ts'

/** 7.5: the error is the whole body, and the same word stands in WWW-Authenticate (RFC 6750). */
export class BearerRefusal extends Refusal {
  constructor(
    status: 401 | 403,
    code: 'invalid_token' | 'insufficient_scope',
    more: { reason?: FailureReason; clientId?: string } = {},
  ) {
    super(status, code, code, more)
  }
}

/** RFC 6750 section 2.1; the scheme's case does not matter. */
export function readBearer(authorization: string | undefined): string | null {
  return /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? '')?.[1] ?? null
}

/** 4.4: what the id_token told, as it is today. The role of the user who signed in does not matter. */
export async function userinfo(context: Context, authorization: string | undefined): Promise<Claims> {
  const token = readBearer(authorization)
  const bearer = token ? await checkBearer(context, token) : null
  if (bearer === null) throw new BearerRefusal(401, 'invalid_token')
  const { client_id: clientId } = bearer
  if (bearer.lapsed !== null) throw new BearerRefusal(401, 'invalid_token', { reason: bearer.lapsed, clientId })
  const scope = scopeValues(bearer.scope)
  if (!scope.includes('openid')) {
    throw new BearerRefusal(403, 'insufficient_scope', { reason: 'scope_lacks_openid', clientId })
  }
  return claimsOf(await findSubject(context.sql, bearer.user_id, bearer.customer_id), scope)
}
