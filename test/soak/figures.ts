// What is taken of the processes and of their database, each time round.
import { readdirSync } from 'node:fs'
import { residentMemory } from '../../bench/memory.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'
import type { Service } from '../support/service.ts'
import { outlasts } from './deletions.ts'

export interface TableFigures {
  rows: number
  /** With its indexes. */
  bytes: number
  indexes: number
  dead: number
}

export interface Figures {
  /** Of the process that is never restarted. */
  memory: number
  files: number
  connections: number
  /** Bytes of write-ahead log since the last time. */
  wal: number
  dead: number
  /** Of the tables from which something is deleted during the run. */
  bytes: number
  indexes: number
  tables: Map<string, TableFigures>
}

/** Partitions count for their table. */
const ofTables = `
  select coalesce(parent.relname, own.relname) as name, sum(stat.n_live_tup)::float as rows,
    sum(pg_total_relation_size(own.oid))::float as bytes, sum(pg_indexes_size(own.oid))::float as indexes,
    sum(stat.n_dead_tup)::float as dead
  from pg_stat_user_tables stat join pg_class own on own.oid = stat.relid
  left join pg_inherits part on part.inhrelid = own.oid
  left join pg_class parent on parent.oid = part.inhparent
  group by 1`

export async function takeFigures(
  sql: Pool,
  services: Service[],
  walBefore: bigint,
  minutes: number,
): Promise<[Figures, bigint]> {
  const rows = await sql.unsafe<({ name: string } & TableFigures)[]>(ofTables)
  const [server] = await sql<{ wal: string; connections: number }[]>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as wal,
      (select count(*)::int from pg_stat_activity where datname = current_database()) as connections`
  const tables = new Map(rows.map(({ name, ...figures }) => [name, figures]))
  const wal = BigInt(server!.wal)
  const oldest = services[0]!.child.pid!
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  const bounded = rows.filter(({ name }) => !outlasts(name, minutes))
  const figures = {
    memory: residentMemory(oldest),
    files: readdirSync(`/proc/${oldest}/fd`).length,
    connections: server!.connections,
    wal: walBefore === 0n ? 0 : Number(wal - walBefore),
    dead: sum(rows.map(({ dead }) => dead)),
    bytes: sum(bounded.map(({ bytes, indexes }) => bytes - indexes)),
    indexes: sum(bounded.map(({ indexes }) => indexes)),
    tables,
  }
  return [figures, wal]
}
