import type { Sql } from '../../platform/database/sql.ts'
import { shareApproval } from '../store/approvals.ts'
import { holdGrant } from '../store/grants-sql.ts'
import type { ApprovedReach } from './approved-reach.ts'

/**
 * What the application may do, while its approval and its grant stand; until the transaction ends, nobody changes or
 * withdraws the one, or revokes the other, as disabling the application does.
 */
export async function holdApproval(
  sql: Sql,
  { customer_id, client_id, grant_id }: { customer_id: string; client_id: string; grant_id: string },
): Promise<ApprovedReach | null> {
  const approved = await shareApproval(sql, customer_id, client_id)
  return approved && (await holdGrant(sql, grant_id)) ? approved : null
}
