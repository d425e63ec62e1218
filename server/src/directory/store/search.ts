import type { Fragment, PageRange, SortCursor, Sql } from '../../platform/database/sql.ts'

/** The pattern of `like` for a text in lower case that contains this one; one or two characters begin a word there. */
export function anywhere(text: string): string {
  const escaped = text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')
  return [...text].length < 3 ? `% ${escaped}%` : `%${escaped}%`
}

/**
 * A search of as many rows is sorted; what finds more is found soon in the order of ids. One more is part of the
 * statement's text: for a limit in a parameter the planner would expect a tenth of the work.
 */
const maxFound = 10_000

export interface Order {
  key: Fragment
  descending: boolean
  after: SortCursor | null
}

/** A page of a table in an order of its own, of all rows or of those that match; an index of (key, id) has the order. */
export async function sortedPage<Row>(
  sql: Sql,
  { columns, table, matches }: { columns: Fragment; table: Fragment; matches: Fragment | null },
  { key, descending, after }: Order,
  limit: number,
): Promise<(Row & { key: string })[]> {
  const direction = descending ? sql`desc` : sql`asc`
  const order = sql`order by ${key} ${direction}, id ${direction}`
  const beyond = after ? sql`(${key}, id) ${descending ? sql`<` : sql`>`} (${after.key}, ${after.id}::uuid)` : sql`true`
  if (matches) {
    const rows = await sql<(Row & { key: string; found: number })[]>`
      with matching as materialized (select id from ${table} where ${matches} limit 10001)
      select ${columns}, ${key} as key, (select count(*)::int from matching) as found
      from ${table} where id in (select id from matching) and ${beyond} ${order} limit ${limit}`
    if ((rows[0]?.found ?? 0) <= maxFound)
      return rows.map(({ found, ...row }) => row as unknown as Row & { key: string })
  }
  return await sql<(Row & { key: string })[]>`
    select ${columns}, key from (
      select *, ${key} as key from ${table} where ${beyond} ${order} offset 0) walked
    where ${matches ?? sql`true`} limit ${limit}`
}

/**
 * A page of the rows of a table whose text has the pattern, in the order of ids. Collected by the index of the text first:
 * a plan that does not know the pattern may walk through all ids instead, which takes seconds where few rows match.
 */
export async function searchPage<Row>(
  sql: Sql,
  { columns, table, matches }: { columns: Fragment; table: Fragment; matches: Fragment },
  { after, limit }: PageRange,
): Promise<Row[]> {
  const rows = await sql<(Row & { found: number })[]>`
    with matching as materialized (select id from ${table} where ${matches} and id > ${after} limit 10001)
    select ${columns}, (select count(*)::int from matching) as found
    from ${table} where id in (select id from matching order by id limit ${limit}) order by id`
  if ((rows[0]?.found ?? 0) <= maxFound) return rows.map(({ found, ...row }) => row as unknown as Row)
  return await sql<Row[]>`
    select ${columns} from (select * from ${table} where id > ${after} order by id offset 0) walked
    where ${matches} limit ${limit}`
}
