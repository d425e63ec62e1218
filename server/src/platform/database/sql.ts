import type { Sql } from './pool-interface.ts'
import type { Fragment, Statement } from './statement.ts'

export type { Pool, Sql } from './pool-interface.ts'
export { selectPlacements } from './shard-servers.ts'
export { toText } from './shards.ts'
export type { Fragment } from './statement.ts'
export { wakeAfterCommit } from './transaction.ts'

/** Cancels the statement in Postgres when the caller has left; for slow reads, on a pool with a depth of 1. */
export function cancelWhen<Rows extends readonly unknown[]>(
  signal: AbortSignal | undefined,
  statement: Statement<Rows>,
): Statement<Rows> {
  statement.signal = signal
  return statement
}

/** Says which buckets of a distributed database a statement, or the one that it becomes a part of, is about. */
export function concerning<Piece extends Fragment>(sql: Sql, buckets: readonly number[], piece: Piece): Piece {
  if (sql.shards) piece.buckets = buckets
  return piece
}

/**
 * A page of a list, as a store function takes it: `limit` is one more than the response has, to see whether more follow.
 * `after` is never null: the first page starts at an id before (or, newest first, after) all others, so that the
 * statement is a plain index range under any plan.
 */
export interface PageRange {
  after: string
  limit: number
}

/** The last row of a page in an order of its own: what it is sorted by, and its id. */
export interface SortCursor {
  key: string
  id: string
}

/** How old something must be to be deleted, by the clock of this process. */
export interface Age {
  now: Date
  milliseconds: number
}

/** The instant before which things are that old. Limited by Postgres's own clock: that of a process may be wrong. */
export function agedBefore(sql: Sql, { now, milliseconds }: Age): Fragment {
  return sql`(least(${now}, now()) - make_interval(secs => ${milliseconds / 1000}))`
}

/** SHA-256 digests as rows of (position from 0, digest), sent as one parameter like `digestArray`. */
export function digestRows(sql: Sql, digests: Buffer[]) {
  return sql`(
    select n, substr(${Buffer.concat(digests)}::bytea, 32 * n + 1, 32)
    from generate_series(0, ${digests.length - 1}::int) n)`
}

/**
 * SHA-256 digests as an array, sent as one parameter: the driver would take longer to write single elements than
 * Postgres to look them up.
 */
export function digestArray(sql: Sql, digests: Buffer[]) {
  return sql`array(
    select substr(${Buffer.concat(digests)}::bytea, 32 * n + 1, 32) from generate_series(0, ${digests.length - 1}::int) n)`
}
