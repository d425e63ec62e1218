import type { Sql } from '../../platform/database/sql.ts'
import * as store from '../store/upper-spaces-sql.ts'

/** A space of the upper two levels, as a choice. */
export interface SpaceChoice {
  customer_id: string
  id: string
  name: string
  below: boolean
}

/** The first so many of each customer, in the order of the tree; one more tells that there are others. */
export async function listUpperSpaces(sql: Sql, customerIds: string[], max: number): Promise<SpaceChoice[]> {
  if (customerIds.length === 0) return []
  const rows = await store.listUpperSpaces(sql, customerIds, max)
  const tops = new Set<string>()
  const choices = rows.flatMap(({ customer_id, id, name, child_id, child_name }) => {
    const top = tops.has(id) ? [] : [{ customer_id, id, name, below: false }]
    tops.add(id)
    return child_id === null ? top : [...top, { customer_id, id: child_id, name: child_name!, below: true }]
  })
  const byCustomer = Map.groupBy(choices, ({ customer_id }) => customer_id)
  return [...byCustomer.values()].flatMap((ofOne) => ofOne.slice(0, max))
}

/** Their names; one that was deleted has none. */
export async function nameSpaces(sql: Sql, ids: string[]): Promise<Map<string, string>> {
  const rows = ids.length === 0 ? [] : await store.listSpaceNames(sql, ids)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
