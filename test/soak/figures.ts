// What is taken of the processes and of their database, each time round.
import { readdirSync } from 'node:fs'
import { residentMemory } from '../../bench/memory.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'
import type { Service } from '../support/service.ts'

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

/** What deletes from the tables that use writes to, and how many minutes after. */
interface Deletion {
  after: number
  by: string
}

const [hour, day] = [60, 24 * 60]

/** A table that grows and is not here fails the run. */
export const deletions = new Map<string, Deletion>([
  ['access_tokens', { after: hour, by: 'the job for expired tokens, every 30 s' }],
  ['audit_events', { after: 30 * day, by: 'the job for its retention, a month’s partition at a time' }],
  ['authorization_codes', { after: 1, by: 'the job for expired tokens, every 30 s' }],
  ['authorization_requests', { after: 10, by: 'the job for expired tokens, every 30 s' }],
  ['device_trends', { after: day, by: 'each new point deletes those older than a day' }],
  ['history', { after: day, by: 'the job for its retention, a day’s partition at a time' }],
  ['idempotency_keys', { after: day, by: 'its job, every 60 s' }],
  ['integration_failures', { after: day, by: 'its job, every 600 s: the newest of each caller are kept' }],
  ['limit_windows', { after: 1, by: 'its job, every 30 s' }],
  ['limits_reached', { after: 30 * day, by: 'its job, every hour' }],
  ['offline_deadlines', { after: 0, by: 'the job that settles them, every 4 s' }],
  ['refresh_tokens', { after: 0, by: 'each rotation, which retires its token' }],
  ['retired_refresh_tokens', { after: 90 * day, by: 'the job for its retention, a month’s partition at a time' }],
  ['sessions', { after: 12 * hour, by: 'the job for expired sessions, every 300 s' }],
  ['sign_in_attempts', { after: 15, by: 'the job for expired sessions, every 300 s' }],
  ['status_changes', { after: 0, by: 'the job that publishes them, every 5 s' }],
  ['status_history', { after: day, by: 'its job, every 600 s' }],
  ['webhook_deliveries', { after: day, by: 'its job, every 600 s' }],
])

/** Whether a run is too short to see that a table stops growing: nothing of it was deleted before its last quarters. */
export function outlasts(table: string, minutes: number): boolean {
  return (deletions.get(table)?.after ?? 0) >= minutes / 2
}
