import type { Sql } from '../../platform/database/sql.ts'

export interface CustomerPlace {
  id: string
  name: string
  lab: boolean
  role: 'administrator' | 'member'
}

export interface PartnerPlace {
  id: string
  name: string
}

/** More than anyone belongs to; the bound keeps one person's answer small. */
const most = 1_000

export async function listCustomersOf(sql: Sql, userId: string): Promise<CustomerPlace[]> {
  return await sql<CustomerPlace[]>`
    select id, name, lab, role from memberships join customers on customers.id = customer_id
    where user_id = ${userId} and active
    order by lab, lower(name), id limit ${most}`
}

export async function listPartnersOf(sql: Sql, userId: string): Promise<PartnerPlace[]> {
  return await sql<PartnerPlace[]>`
    select id, name from partner_members join partners on partners.id = partner_id
    where user_id = ${userId}
    order by lower(name), id limit ${most}`
}
