import { authenticatedAt, type Session } from '../../directory/accounts/sessions.ts'
import { type NewAuditEvent, recordAudit } from '../../events/audit.ts'
import { queueEvent } from '../../events/outbox.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { digest, mintSecret } from '../../platform/secrets/secrets.ts'
import { acrOf } from '../authorize/acr.ts'
import type { PendingRequest } from '../authorize/pending-requests.ts'
import type { Context } from '../context.ts'
import { specLimits } from '../spec-limits.ts'
import { approveRequests } from '../store/approval-requests-sql.ts'
import { insertCode } from '../store/authorization-codes.ts'
import { findOrInsertGrant, upsertGrantUser } from '../store/grants-sql.ts'
import { approve } from './approve.ts'
import { type ApprovedReach, newAreas } from './approved-reach.ts'
import { changeReach } from './change-reach.ts'
import type { ConsentRow } from './consent-rows.ts'
import type { SignInPolicy } from './sign-in-policy.ts'

export interface Connection {
  request: PendingRequest
  session: Session
  row: ConsentRow
  /** Of a new approval. */
  policy: SignInPolicy
  /** What the administrator decided about what it may do; null: nothing, as on a screen that does not ask. */
  reach: ApprovedReach | null
  at: Date
}

/** Creates approval, grant and one-time code, in the transaction that checked the conditions for them. Returns the code. */
export async function connect(
  context: Context,
  sql: Sql,
  { request, session, row, policy, reach, at }: Connection,
): Promise<string> {
  const { client_id, partner_id, redirect_uri, code_challenge, nonce, scope } = request
  const { user_id, methods } = session
  const { customer_id, role } = row
  const about = { at, actor: { kind: 'user', id: user_id }, application_id: client_id, customer_id } as const
  const events: NewAuditEvent[] = []
  // An administrator approves for the customer; a member needs an existing approval.
  if (role === 'administrator') {
    const { requested_permissions } = request
    const approval = { client_id, partner_id, customer_id, user_id, policy, requested_permissions, at }
    const isNew = await approve(context, sql, { ...approval, reach: reach ?? undefined })
    if (isNew) await approveRequests(sql, client_id, customer_id, at)
    else if (reach && newAreas(row).length > 0)
      await changeReach(sql, { ...about, client_id, requested_permissions, before: row, after: reach })
  }
  const grant = await findOrInsertGrant(sql, { id: newId(), client_id, customer_id, created_at: at })
  const details = { grant_id: grant.id }
  if (grant.opened) events.push({ ...about, type: 'grant.opened', details })
  await upsertGrantUser(sql, { grant_id: grant.id, user_id, connected_at: at })
  const code = mintSecret('authorization_code')
  await insertCode(sql, {
    digest: digest(code),
    grant_id: grant.id,
    client_id,
    user_id,
    redirect_uri,
    code_challenge,
    nonce,
    scope,
    auth_time: authenticatedAt(session),
    acr: acrOf(methods, request.acr_values),
    amr: methods.join(' '),
    expires_at: new Date(at.getTime() + specLimits.authorizationCodeSeconds * 1000),
  })
  events.push({ ...about, type: 'grant.connected', details: { ...details, scope } })
  await recordAudit(sql, ...events)
  // Once per decision: a second click is no second connection.
  if (!request.decided_at) {
    await queueEvent(sql, { partner_id, type: 'grant.connected', at, data: { client_id, org_id: customer_id } })
  }
  return code
}
