import type { Sql } from '../../platform/database/sql.ts'

export interface FoundSubject {
  user_id: string
  name: string
  email: string
  email_verified: boolean
  customer_id: string
  org_name: string
  belongs: boolean
}

export async function findSubject(sql: Sql, userId: string, customerId: string): Promise<FoundSubject> {
  const [row] = await sql<FoundSubject[]>`
    select u.id as user_id, u.name, u.email, u.email_verified, c.id as customer_id, c.name as org_name,
      exists (select 1 from directory_memberships m where m.customer_id = c.id and m.user_id = u.id and m.active) as belongs
    from directory_users u, directory_customers c where u.id = ${userId} and c.id = ${customerId}`
  return row!
}
