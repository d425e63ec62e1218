import type { Session } from '../../directory/accounts/sessions.ts'
import { type NewAuditEvent, recordAudit } from '../../events/audit.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { digest, mintSecret } from '../../platform/secrets/secrets.ts'
import { specLimits } from '../../platform/spec-limits.ts'
import type { PendingRequest } from '../authorize/pending-requests.ts'
import { insertApproval } from '../store/approvals.ts'
import { insertCode } from '../store/authorization-codes.ts'
import { findOrInsertGrant, upsertGrantUser } from '../store/grants.ts'
import type { ConsentRow } from './consent-rows.ts'

/** Creates approval, grant and one-time code, in the transaction that checked the conditions for them. Returns the code. */
export async function connect(
  sql: Sql,
  { client_id, redirect_uri, code_challenge, nonce, scope }: PendingRequest,
  { user_id, signed_in_at: auth_time }: Session,
  { customer_id, role }: ConsentRow,
  at: Date,
): Promise<string> {
  const about = { at, actor: { kind: 'user', id: user_id }, application_id: client_id, customer_id } as const
  const events: NewAuditEvent[] = []
  // An administrator approves for the customer; a member needs an existing approval.
  if (role === 'administrator') {
    const isNew = await insertApproval(sql, { client_id, customer_id, approved_by: user_id, approved_at: at })
    if (isNew) events.push({ ...about, type: 'approval.given' })
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
    auth_time,
    expires_at: new Date(at.getTime() + specLimits.authorizationCodeSeconds * 1000),
  })
  events.push({ ...about, type: 'grant.connected', details: { ...details, scope } })
  await recordAudit(sql, ...events)
  return code
}
