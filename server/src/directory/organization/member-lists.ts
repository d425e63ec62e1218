import type { Context } from '../../context.ts'
import type { Page, PageRequest } from '../../platform/http/pagination.ts'
import { invalid, Refusal } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import * as store from '../store/member-lists.ts'
import type { Member } from '../store/memberships.ts'

export const memberSorts = ['name', 'email', 'role', 'created_at'] as const satisfies store.MemberSort[]

type Sort = store.MemberSort | `-${store.MemberSort}`

export interface MemberQuery extends PageRequest {
  search?: string
  sort?: Sort
}

/** Members whom a text finds, or in an order of their own. Reads at most 10,000 of them, whatever the size of the customer. */
export async function findMembers(
  { sql }: Context,
  customerId: string,
  { search = '', sort = 'created_at', limit = 50, after }: MemberQuery,
): Promise<Page<Member>> {
  const text = search.trim()
  const cursor = readCursor(after, sort)
  const order = { by: sort.replace('-', '') as store.MemberSort, descending: sort.startsWith('-') }
  const many = await store.hasManyMembers(sql, customerId)
  if (many && (!text || (await store.findsManyUsers(sql, text)))) throw tooMany()
  const rows = await store.sortMembers(sql, customerId, { text, many, order }, cursor, limit + 1)
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1)! : null
  return { items: page.map(({ key: _, ...member }) => member), next: last && writeCursor(sort, last) }
}

function tooMany(): Refusal {
  const sentence =
    'More than 10,000 users match: too many to sort or to search this way. Search for more of a name or an email.'
  return new Refusal(422, 'too_many_to_sort', sentence)
}

function readCursor(after: string | undefined, sort: Sort): store.MemberCursor | null {
  if (after === undefined) return null
  try {
    const [of, key, id] = JSON.parse(Buffer.from(after, 'base64url').toString()) as unknown[]
    if (of === sort && typeof key === 'string' && !key.includes('\0') && typeof id === 'string' && isId(id))
      return { key, id }
  } catch {
    // Not one of ours, as below.
  }
  throw invalid({ field: 'after', message: 'must be the `next` of a previous page with the same `sort`' })
}

function writeCursor(sort: Sort, { key, id }: store.MemberCursor): string {
  return Buffer.from(JSON.stringify([sort, key, id])).toString('base64url')
}
