import { type TSchema, Type } from 'typebox'
import type { PageRange } from '../database/sql.ts'
import { invalid } from '../refusal.ts'
import { isId } from '../secrets/identifiers.ts'

/** `?limit=&after=` of every list. A list is ordered by id, so a cursor is the last id of a page: equally fast at any depth. */
export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Items per page.' })),
  after: Type.Optional(Type.String({ description: 'The `next` of the previous page.' })),
}

export interface PageRequest {
  limit?: number
  after?: string
}

export interface Page<Item> {
  items: Item[]
  next: string | null
}

/** For a caller that is to see nothing of a list. */
export const emptyPage: Page<never> = { items: [], next: null }

const beforeAll = '00000000-0000-0000-0000-000000000000'
const beyondAll = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Oldest first: `id > after order by id`. */
export function pageRange(request: PageRequest): PageRange {
  return rangeFrom(beforeAll, request)
}

/** Newest first: `id < after order by id desc`. */
export function newestFirst(request: PageRequest): PageRange {
  return rangeFrom(beyondAll, request)
}

function rangeFrom(start: string, { limit = 50, after = start }: PageRequest): PageRange {
  if (!isId(after)) throw invalid({ field: 'after', message: 'must be the `next` of a previous page' })
  return { after, limit: limit + 1 }
}

export function toPage<Item>(rows: Item[], { limit }: PageRange, idOf: (item: Item) => string): Page<Item> {
  const items = rows.slice(0, limit - 1)
  return { items, next: rows.length === limit ? idOf(items.at(-1)!) : null }
}

export function PageOf<Item extends TSchema>(item: Item) {
  const { title } = item as { title?: string }
  const name = title === undefined ? {} : { title: `${title}List`, description: `A page of a list: see \`${title}\`.` }
  return Type.Object(
    {
      items: Type.Array(item, { description: 'The items of this page.' }),
      next: Type.Union([Type.String(), Type.Null()], {
        description: 'Send it as `after` to get the next page. Null on the last page.',
      }),
    },
    name,
  )
}
