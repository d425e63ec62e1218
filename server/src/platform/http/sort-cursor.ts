import type { SortCursor } from '../database/sql.ts'
import { invalid } from '../refusal.ts'
import { isId } from '../secrets/identifiers.ts'
import type { Page } from './pagination.ts'

export function readSortCursor(after: string | undefined, sort: string): SortCursor | null {
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

/** Of one row more than a page has. */
export function sortedPage<Row extends SortCursor>(rows: Row[], limit: number, sort: string): Page<Omit<Row, 'key'>> {
  const items = rows.slice(0, limit)
  const last = rows.length > limit ? items.at(-1)! : null
  const next = last && Buffer.from(JSON.stringify([sort, last.key, last.id])).toString('base64url')
  return { items: items.map(({ key: _, ...item }) => item), next }
}
