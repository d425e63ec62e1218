import type { Sql } from '../../platform/sql.ts'

export interface Customer {
  id: string
  partner_id: string
  name: string
  lab: boolean
  created_at: Date
}

export async function insertCustomer(sql: Sql, customer: Customer): Promise<void> {
  await sql`insert into customers ${sql(customer, 'id', 'partner_id', 'name', 'lab', 'created_at')}`
}
