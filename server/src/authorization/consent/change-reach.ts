import { askedLevels, namesOf } from '../../directory/approved-permissions.ts'
import { withdrawCommandsBeyond } from '../../directory/command-withdrawals.ts'
import { requireSpaces } from '../../directory/organization/spaces.ts'
import type { RequestedPermissions } from '../../directory/permissions.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { updateReach } from '../store/approvals.ts'
import type { ApprovedReach } from './approved-reach.ts'

export function reachDetails({ permissions, within }: ApprovedReach) {
  return { permissions: namesOf(permissions), within }
}

export interface ReachChange {
  client_id: string
  customer_id: string
  requested_permissions: RequestedPermissions | null
  before: ApprovedReach
  after: ApprovedReach
  actor: Actor
  at: Date
}

/**
 * With the approval locked. Tokens follow with their next request, streams that are open end, and commands that it may no
 * longer send are canceled.
 */
export async function changeReach(sql: Sql, change: ReachChange): Promise<void> {
  const { client_id, customer_id, requested_permissions, before, after, actor, at } = change
  await requireSpaces(sql, customer_id, after.within)
  const requested = requested_permissions && askedLevels(requested_permissions)
  await updateReach(sql, { client_id, customer_id, ...after, requested })
  await withdrawCommandsBeyond(sql, { client_id, customer_id, actor }, before, after)
  const previous = reachDetails(before)
  await recordAudit(sql, {
    type: 'approval.permissions_changed',
    at,
    actor,
    application_id: client_id,
    customer_id,
    details: {
      ...reachDetails(after),
      previous_permissions: previous.permissions,
      previous_within: previous.within,
    },
  })
}
