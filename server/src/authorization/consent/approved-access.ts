import { type Holder, type HolderFilter, heldByCredential } from '../../directory/organization/access.ts'
import type { PageRange } from '../../platform/database/sql.ts'
import type { Context } from '../context.ts'
import { listApprovedPermissions } from '../store/approvals.ts'

/** Applications with what the customer approved them for. */
export async function listHoldingApplications(
  { sql }: Context,
  customerId: string,
  filter: HolderFilter,
  range: PageRange,
): Promise<Holder[]> {
  const rows = await listApprovedPermissions(sql, customerId, filter, range)
  return rows.map(({ permissions, within, ...application }) => ({
    ...{ kind: 'application', email: null, ...application },
    held: heldByCredential('approval', permissions, within),
  }))
}
