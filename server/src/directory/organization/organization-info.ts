import type { Context } from '../../context.ts'
import { notFound } from '../../platform/refusal.ts'
import { type Customer, countOfCustomer, findCustomer } from '../store/customers.ts'

export interface OrganizationInfo extends Omit<Customer, 'partner_id'> {
  counts: { users: number; groups: number; spaces: number }
}

export async function describeOrganization(context: Context, customerId: string): Promise<OrganizationInfo> {
  const [customer, counts] = await Promise.all([
    findCustomer(context.sql, customerId),
    countOfCustomer(context.sql, customerId),
  ])
  if (!customer) throw notFound('customer')
  const { partner_id: _, ...info } = customer
  return { ...info, counts }
}
