import { agedBefore, type Sql } from '../../platform/database/sql.ts'
import { indexDay } from './distribute.ts'

export async function listPartitions(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select child.relname as name
    from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = 'history'::regclass and child.relname ~ '^history_[0-9]{8}$'
    order by child.relname`
  return rows.map(({ name }) => name)
}

/** The oldest day that is kept, counted from 1970, by the database's clock (decision 3.7). */
export async function findOldestKeptDay(sql: Sql, now: Date, days: number): Promise<number> {
  const [row] = await sql<{ day: number }[]>`
    select floor(extract(epoch from ${agedBefore(sql, { now, milliseconds: days * 86_400_000 })}) / 86400)::int as day`
  return row!.day
}

export interface Retention {
  /** The highest number of days ever dropped at once. */
  most_dropped: number
  announced_days: number | null
  announced_at: Date | null
}

export async function findRetention(sql: Sql): Promise<Retention> {
  const [row] = await sql<[Retention]>`select most_dropped, announced_days, announced_at from history_retention`
  return row
}

export async function announceDrop(sql: Sql, days: number, at: Date): Promise<void> {
  await sql`update history_retention set announced_days = ${days}, announced_at = ${at}`
}

export async function recordDrop(sql: Sql, days: number): Promise<void> {
  await sql`
    update history_retention
    set most_dropped = greatest(most_dropped, ${days}), announced_days = null, announced_at = null`
}

/** Statements queue behind a waiting lock, so the job fails soon and tries again at its next run. */
export async function waitBriefly(sql: Sql): Promise<void> {
  await sql`set local lock_timeout = '1s'`
}

/**
 * Messages of that day that arrived before its partition are moved out of the default one. Writers to the default
 * partition wait meanwhile; there are none when partitions are created ahead.
 */
export async function createPartition(sql: Sql, name: string, from: Date, to: Date): Promise<void> {
  await sql`create table ${sql(name)} (like history including defaults including constraints)`
  await sql`lock table history_default in access exclusive mode`
  await sql`
    with stray as (delete from history_default where timestamp >= ${from} and timestamp < ${to} returning *)
    insert into ${sql(name)} select * from stray`
  await sql.unsafe(
    `alter table history attach partition ${name} for values from ('${from.toISOString()}') to ('${to.toISOString()}')`,
  )
  if (sql.shards) await indexDay(sql, name)
}

export async function dropPartition(sql: Sql, name: string): Promise<void> {
  await sql`drop table ${sql(name)}`
}

/** Late messages of days already dropped. */
export async function deleteStrays(sql: Sql, before: Date): Promise<void> {
  await sql`delete from history_default where timestamp < ${before}`
}
