import type { Context } from '../../context.ts'
import * as store from '../store/memberships-of-user.ts'

export interface Memberships {
  customers: store.CustomerMembership[]
  partners: store.PartnerMembership[]
}

/** Where a person belongs: what the portal offers to go to. */
export async function listMembershipsOf(context: Context, userId: string): Promise<Memberships> {
  const [customers, partners] = await Promise.all([
    store.listCustomersOf(context.sql, userId),
    store.listPartnersOf(context.sql, userId),
  ])
  return { customers, partners }
}
