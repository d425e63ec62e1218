import type { Sql } from '../../platform/sql.ts'

export type Role = 'administrator' | 'member'

export interface NewMembership {
  customer_id: string
  user_id: string
  role: Role
  created_at: Date
}

export async function insertMembership(sql: Sql, membership: NewMembership): Promise<void> {
  await sql`insert into memberships ${sql(membership, 'customer_id', 'user_id', 'role', 'created_at')}`
}

export async function insertPartnerMember(
  sql: Sql,
  member: { partner_id: string; user_id: string; created_at: Date },
): Promise<void> {
  await sql`insert into partner_members ${sql(member, 'partner_id', 'user_id', 'created_at')}`
}
