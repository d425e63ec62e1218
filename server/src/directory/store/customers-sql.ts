import type { PageRange, Sql } from '../../platform/database/sql.ts'
import { anywhere, searchPage } from './search.ts'

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

export async function findCustomer(sql: Sql, id: string): Promise<Customer | undefined> {
  const [row] = await sql<Customer[]>`
    select id, partner_id, name, lab, created_at from customers where id = ${id}`
  return row
}

/** Every change of a customer's people or spaces takes this lock first. */
export async function lockCustomer(sql: Sql, id: string): Promise<Customer | undefined> {
  const [row] = await sql<Customer[]>`
    select id, partner_id, name, lab, created_at from customers where id = ${id} for no key update`
  return row
}

export async function listCustomers(sql: Sql, { after, limit }: PageRange): Promise<Customer[]> {
  return await sql<Customer[]>`
    select id, partner_id, name, lab, created_at from customers where id > ${after} order by id limit ${limit}`
}

export async function listCustomersOfPartner(
  sql: Sql,
  partnerId: string,
  { after, limit }: PageRange,
): Promise<Customer[]> {
  return await sql<Customer[]>`
    select id, partner_id, name, lab, created_at from customers
    where partner_id = ${partnerId} and id > ${after} order by id limit ${limit}`
}

export interface CustomerSearch {
  /** A part of the name. */
  text: string
  partner_id: string | null
}

export async function searchCustomers(
  sql: Sql,
  { text, partner_id }: CustomerSearch,
  range: PageRange,
): Promise<Customer[]> {
  const columns = sql`id, partner_id, name, lab, created_at`
  const named = sql`lower(' ' || name) like ${anywhere(text)}`
  const matches = partner_id ? sql`${named} and partner_id = ${partner_id}` : named
  return await searchPage<Customer>(sql, { columns, table: sql`customers`, matches }, range)
}

export async function renameCustomer(sql: Sql, id: string, name: string): Promise<Customer | undefined> {
  const [row] = await sql<Customer[]>`
    update customers set name = ${name} where id = ${id} returning id, partner_id, name, lab, created_at`
  return row
}

interface CustomerCounts {
  users: number
  groups: number
  spaces: number
}

export async function countOfCustomer(sql: Sql, id: string): Promise<CustomerCounts> {
  const [row] = await sql<CustomerCounts[]>`
    select
      (select count(*)::int from memberships where customer_id = ${id}) as users,
      (select count(*)::int from groups where customer_id = ${id}) as groups,
      (select count(*)::int from spaces where customer_id = ${id}) as spaces`
  return row!
}
