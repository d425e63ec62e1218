import type { Sql } from '../../platform/database/sql.ts'

export type Policy = 'everyone' | 'administrators' | 'group'

/** True when this is the customer's first yes; an approval that stands keeps its policy and who gave it. */
export async function insertApproval(
  sql: Sql,
  approval: { client_id: string; customer_id: string; approved_by: string; approved_at: Date },
): Promise<boolean> {
  const { count } = await sql`
    insert into approvals ${sql(approval, 'client_id', 'customer_id', 'approved_by', 'approved_at')}
    on conflict (client_id, customer_id) do nothing`
  return count === 1
}

export async function findApprover(sql: Sql, clientId: string, customerId: string): Promise<string | null> {
  const [row] = await sql<{ approved_by: string | null }[]>`
    select approved_by from approvals where client_id = ${clientId} and customer_id = ${customerId}`
  return row?.approved_by ?? null
}
