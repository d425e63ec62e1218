import type { Context } from '../../context.ts'
import * as store from '../store/memberships-of-user.ts'

export interface Places {
  customers: store.CustomerPlace[]
  partners: store.PartnerPlace[]
}

/** Where a person belongs: what the portal offers to go to. */
export async function placesOf(context: Context, userId: string): Promise<Places> {
  const [customers, partners] = await Promise.all([
    store.listCustomersOf(context.sql, userId),
    store.listPartnersOf(context.sql, userId),
  ])
  return { customers, partners }
}
