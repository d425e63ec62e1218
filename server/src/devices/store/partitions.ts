import type { Sql } from '../../platform/database/sql.ts'

export async function listPartitions(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select child.relname as name
    from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = 'history'::regclass and child.relname ~ '^history_[0-9]{8}$'
    order by child.relname`
  return rows.map(({ name }) => name)
}

/** Whoever asks for a lock makes everyone else wait behind: better to fail soon, and try again at the next turn. */
export async function waitBriefly(sql: Sql): Promise<void> {
  await sql`set local lock_timeout = '1s'`
}

/**
 * Messages of that day that came before their partition wait in the default one, and move over. Whoever writes to the
 * default one waits meanwhile, which is nobody where days are made ahead.
 */
export async function createPartition(sql: Sql, name: string, from: Date, to: Date): Promise<void> {
  await sql`create table ${sql(name)} (like history including defaults including constraints)`
  await sql`lock table history_of_no_day in access exclusive mode`
  await sql`
    with stray as (delete from history_of_no_day where timestamp >= ${from} and timestamp < ${to} returning *)
    insert into ${sql(name)} select * from stray`
  await sql.unsafe(
    `alter table history attach partition ${name} for values from ('${from.toISOString()}') to ('${to.toISOString()}')`,
  )
}

export async function dropPartition(sql: Sql, name: string): Promise<void> {
  await sql`drop table ${sql(name)}`
}

/** Late messages of days already dropped. */
export async function deleteStrays(sql: Sql, before: Date): Promise<void> {
  await sql`delete from history_of_no_day where timestamp < ${before}`
}
