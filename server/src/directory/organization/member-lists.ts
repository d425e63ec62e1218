import type { Page, PageRequest } from '../../platform/http/pagination.ts'
import { readSortCursor, sortedPage } from '../../platform/http/sort-cursor.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import type { FactorFilter } from '../store/factor-facts-sql.ts'
import * as store from '../store/member-lists-sql.ts'
import type { Member } from '../store/memberships.ts'

export const memberSorts = ['name', 'email', 'role', 'created_at'] as const satisfies store.MemberSort[]

type Sort = store.MemberSort | `-${store.MemberSort}`

export interface MemberQuery extends PageRequest {
  search?: string
  sort?: Sort
  second_factor?: FactorFilter
}

/** Members whom a text finds, or in an order of their own. Reads at most 10,000 of them, whatever the size of the customer. */
export async function findMembers(
  { sql }: Context,
  customerId: string,
  { search = '', sort = 'created_at', second_factor: factor, limit = 50, after }: MemberQuery,
): Promise<Page<Member>> {
  const text = search.trim()
  const cursor = readSortCursor(after, sort)
  const order = { by: sort.replace('-', '') as store.MemberSort, descending: sort.startsWith('-') }
  const many = await store.hasManyMembers(sql, customerId)
  if (many && (!text || (await store.findsManyUsers(sql, text)))) throw tooMany()
  const rows = await store.sortMembers(sql, customerId, { text, many, order, factor }, cursor, limit + 1)
  return sortedPage(rows, limit, sort)
}

function tooMany(): Refusal {
  const sentence =
    'More than 10,000 users match: too many to sort or to search this way. Search for more of a name or an email.'
  return new Refusal(422, 'too_many_to_sort', sentence)
}
