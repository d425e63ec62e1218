import type { Sql } from '../../platform/database/sql.ts'

export interface CustomerMembership {
  id: string
  name: string
  lab: boolean
  role: 'administrator' | 'member'
}

export interface PartnerMembership {
  id: string
  name: string
}

/** More than anyone belongs to; the bound keeps one person's answer small. */
const max = 1_000

export async function listCustomersOf(sql: Sql, userId: string): Promise<CustomerMembership[]> {
  return await sql<CustomerMembership[]>`
    select id, name, lab, role from memberships join customers on customers.id = customer_id
    where user_id = ${userId} and active
    order by lab, lower(name), id limit ${max}`
}

export async function listPartnersOf(sql: Sql, userId: string): Promise<PartnerMembership[]> {
  return await sql<PartnerMembership[]>`
    select id, name from partner_members join partners on partners.id = partner_id
    where user_id = ${userId}
    order by lower(name), id limit ${max}`
}
