import { ownBrand } from '../platform/pages/page.ts'
import type { Context } from './context.ts'
import * as store from './store/names-sql.ts'

/** Whose view decides which names are known. */
export type NamesFor =
  | { customer_id: string; within?: readonly string[] | null }
  | { partner_id: string }
  | { operator: true }

/** For the names of files that leave the service. */
export async function findOwnerName({ sql }: Context, owner: NamesFor): Promise<string> {
  return 'operator' in owner ? ownBrand.name : await store.findOwnerName(sql, owner)
}

/** The current names of the people, groups, spaces, keys, applications and tenants among the ids. */
export async function findNames({ sql }: Context, reader: NamesFor, ids: string[]): Promise<store.Named[]> {
  if ('customer_id' in reader) return await store.findNamesForCustomer(sql, reader, ids)
  if ('partner_id' in reader) return await store.findNamesForPartner(sql, reader.partner_id, ids)
  return await store.findNamesForOperator(sql, ids)
}
