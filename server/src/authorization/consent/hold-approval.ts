import type { Sql } from '../../platform/database/sql.ts'
import { shareApproval } from '../store/approvals.ts'

/** Whether the approval stands; until the transaction ends, nobody withdraws it. */
export async function holdApproval(sql: Sql, customerId: string, clientId: string): Promise<boolean> {
  return await shareApproval(sql, customerId, clientId)
}
