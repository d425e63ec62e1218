import { notFound } from '../platform/refusal.ts'

/** The row itself; a 404 when there is none. */
export function found<Row>(row: Row | undefined, what: string): Row {
  if (row === undefined) throw notFound(what)
  return row
}
