import type { Sql } from '../../platform/database/sql.ts'

export async function releaseSpaces(sql: Sql, customerId: string, clientId: string): Promise<number> {
  const { count } = await sql`
    update spaces set synced_by = null where customer_id = ${customerId} and synced_by = ${clientId}`
  return count
}
