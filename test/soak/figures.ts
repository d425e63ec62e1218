// What is taken of the processes and of their database, each time round.
import { readdirSync } from 'node:fs'
import { residentMemory } from '../../bench/memory.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'
import type { Service } from '../support/service.ts'

export interface TableFigures {
  rows: number
  bytes: number
  dead: number
}

export interface Figures {
  memory: number
  files: number
  connections: number
  /** Bytes of write-ahead log since the last time. */
  wal: number
  dead: number
  /** Of everything but history, which grows with what is sent until its retention ends. */
  bytes: number
  tables: Map<string, TableFigures>
}

/** Partitions count for their table. */
const ofTables = `
  select coalesce(parent.relname, own.relname) as name, sum(stat.n_live_tup)::float as rows,
    sum(pg_total_relation_size(own.oid))::float as bytes, sum(stat.n_dead_tup)::float as dead
  from pg_stat_user_tables stat join pg_class own on own.oid = stat.relid
  left join pg_inherits part on part.inhrelid = own.oid
  left join pg_class parent on parent.oid = part.inhparent
  group by 1`

export async function takeFigures(sql: Pool, services: Service[], walBefore: bigint): Promise<[Figures, bigint]> {
  const rows = await sql.unsafe<({ name: string } & TableFigures)[]>(ofTables)
  const [server] = await sql<{ wal: string; connections: number }[]>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as wal,
      (select count(*)::int from pg_stat_activity where datname = current_database()) as connections`
  const tables = new Map(rows.map(({ name, ...figures }) => [name, figures]))
  const wal = BigInt(server!.wal)
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  const figures = {
    memory: sum(services.map(({ child }) => residentMemory(child.pid!))),
    files: sum(services.map(({ child }) => readdirSync(`/proc/${child.pid}/fd`).length)),
    connections: server!.connections,
    wal: walBefore === 0n ? 0 : Number(wal - walBefore),
    dead: sum(rows.map(({ dead }) => dead)),
    bytes: sum(rows.filter(({ name }) => !growsWithWhatIsSent.has(name)).map(({ bytes }) => bytes)),
    tables,
  }
  return [figures, wal]
}

/** Kept until their retention ends, which no run is long enough to see. */
export const growsWithWhatIsSent = new Set(['history', 'status_history', 'retired_refresh_tokens', 'audit_events'])

/** What deletes from each table that grows with use; a table that grows and is not here fails the run. */
export const deletedBy = new Map([
  ['access_tokens', 'the job "expired tokens" every 30 s, an hour after they were issued'],
  ['audit_events', 'their retention: a month’s partition at a time'],
  ['codes', 'the job "expired tokens" every 30 s'],
  ['device_trends', 'each new point deletes those older than a day'],
  ['history', 'its retention: a day’s partition at a time'],
  ['idempotency_keys', 'its job every 60 s, a day after their use'],
  ['integration_failures', 'its job every 600 s, and the newest of each caller are kept'],
  ['limit_windows', 'its job every 30 s'],
  ['limits_reached', 'its job every hour'],
  ['offline_deadlines', 'the job that settles them every 4 s'],
  ['refresh_tokens', 'each rotation replaces its token; the job "expired tokens"'],
  ['retired_refresh_tokens', 'their retention: a day’s partition at a time'],
  ['sessions', 'the job for expired accounts every 300 s'],
  ['sign_in_attempts', 'the job for expired accounts every 300 s'],
  ['status_changes', 'the job that publishes them every 5 s'],
  ['status_history', 'its job every 600 s, after its retention'],
  ['webhook_deliveries', 'its job every 600 s, after their retention'],
])
