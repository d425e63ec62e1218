import type postgres from 'postgres'

/** Values the driver turns into Postgres types beyond its own defaults. */
export type PostgresTypes = { bigint: bigint }

/** A pool or a transaction: every store function takes either. */
export type Sql = postgres.ISql<PostgresTypes>

/** The pool itself: only verbs that open transactions ask for it. */
export type Pool = postgres.Sql<PostgresTypes>

/** A page of a list, as a store function is asked for it: `limit` is one more than shown, to tell whether more follow. */
export interface PageRange {
  after: string | null
  limit: number
}
