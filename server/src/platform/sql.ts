import type postgres from 'postgres'

/** Values the driver turns into Postgres types beyond its own defaults. */
export type PostgresTypes = { bigint: bigint }

/** A pool or a transaction: every store function takes either. */
export type Sql = postgres.ISql<PostgresTypes>

/** The pool itself: only verbs that open transactions ask for it. */
export type Pool = postgres.Sql<PostgresTypes>

/**
 * A page of a list, as a store function is asked for it: `limit` is one more than shown, to tell whether more follow.
 * `after` is never null: the first page starts at an id before (or, newest first, beyond) them all, so that the one
 * statement is a plain range of the index under any plan.
 */
export interface PageRange {
  after: string
  limit: number
}

/** Bytes as an array parameter: left to itself the driver takes a list of buffers for one. */
export function byteaArray(sql: Sql, values: Buffer[]) {
  return sql.array(values, 17)
}
