import { type NewAuditEvent, recordAudit } from '../../events/audit.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { digest, mintSecret } from '../../platform/secrets/secrets.ts'
import { specLimits } from '../../platform/spec-limits.ts'
import { insertApproval } from '../store/approvals.ts'
import { insertCode } from '../store/authorization-codes.ts'
import { findOrInsertGrant, upsertGrantUser } from '../store/grants.ts'

export interface Connection {
  at: Date
  client_id: string
  customer_id: string
  user_id: string
  /** An administrator's yes is the customer's; a member connects on the strength of one that stands. */
  approves: boolean
  redirect_uri: string
  code_challenge: string
  nonce: string | null
  scope: string[]
  auth_time: Date
}

/** Approval, grant and one-time code, within the transaction that judged them due. */
export async function connect(sql: Sql, connection: Connection): Promise<string> {
  const { at, client_id, customer_id, user_id } = connection
  const about = { at, actor: { kind: 'user', id: user_id }, application_id: client_id, customer_id } as const
  const events: NewAuditEvent[] = []
  if (connection.approves) {
    const made = await insertApproval(sql, { client_id, customer_id, approved_by: user_id, approved_at: at })
    if (made) events.push({ ...about, type: 'approval.given' })
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
    redirect_uri: connection.redirect_uri,
    code_challenge: connection.code_challenge,
    nonce: connection.nonce,
    scope: connection.scope,
    auth_time: connection.auth_time,
    expires_at: new Date(at.getTime() + specLimits.authorizationCodeSeconds * 1000),
  })
  events.push({ ...about, type: 'grant.connected', details: { ...details, scope: connection.scope } })
  await recordAudit(sql, ...events)
  return code
}
