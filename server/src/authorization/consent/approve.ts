import { tellOfApproval } from '../../directory/accounts/approval-mails.ts'
import { askedLevels } from '../../directory/approved-permissions.ts'
import { requireSpaces } from '../../directory/organization/spaces.ts'
import type { RequestedPermissions } from '../../directory/permissions.ts'
import { recordAudit } from '../../events/audit.ts'
import { queueEvent } from '../../events/outbox.ts'
import type { Sql } from '../../platform/database/sql.ts'
import type { Context } from '../context.ts'
import { insertApproval, lockDecision } from '../store/approvals.ts'
import type { ApprovedReach } from './approved-reach.ts'
import { reachDetails } from './change-reach.ts'
import { policyColumns, refuseUnknownGroup, type SignInPolicy } from './sign-in-policy.ts'

export interface NewApproval {
  client_id: string
  /** The owner of the application. */
  partner_id: string
  customer_id: string
  /** The administrator who approves it. */
  user_id: string
  policy: SignInPolicy
  /** What the application asks for; null: everything. */
  requested_permissions: RequestedPermissions | null
  /** Left out: all that it asks for, everywhere. */
  reach?: ApprovedReach | undefined
  at: Date
}

/**
 * Stores the approval with its audit event and webhook event; false when the customer had approved before. Before its
 * requests are decided, never after: two transactions in different orders would deadlock.
 */
export async function approve(context: Context, sql: Sql, approval: NewApproval): Promise<boolean> {
  const { client_id, partner_id, customer_id, user_id, policy, requested_permissions, at } = approval
  const columns = policyColumns(policy)
  await lockDecision(sql, client_id, customer_id)
  const requested = requested_permissions && askedLevels(requested_permissions)
  const reach = approval.reach ?? { permissions: requested, within: null }
  await requireSpaces(sql, customer_id, reach.within)
  const row = { client_id, customer_id, approved_by: user_id, approved_at: at, ...columns, ...reach, requested }
  if (!(await insertApproval(sql, row).catch(refuseUnknownGroup))) return false
  const actor = { kind: 'user', id: user_id } as const
  await recordAudit(sql, {
    type: 'approval.given',
    at,
    actor,
    application_id: client_id,
    customer_id,
    details: { ...columns, ...reachDetails(reach) },
  })
  await queueEvent(sql, { partner_id, type: 'approval.given', at, data: { client_id, org_id: customer_id } })
  await tellOfApproval(context, sql, 'given', { client_id, customer_id, user_id })
  return true
}
