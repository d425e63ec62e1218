import { readdirSync, readFileSync } from 'node:fs'
import type { Sql } from '../../server/src/platform/database/sql.ts'

export interface PostgresCosts {
  /** Processor time of all its processes, in microseconds; null where there is no /proc. */
  processorTime: number | null
  walBytes: number
  /** Of the history with its indexes. */
  historyBytes: number
  messages: number
  /** Of clients to this database, without the one that asks. */
  connections: number
}

export async function readCosts(sql: Sql): Promise<PostgresCosts> {
  const [row] = await sql<[Omit<PostgresCosts, 'processorTime'> & { pid: number }]>`
    select pg_backend_pid() as pid, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "walBytes",
      (
        select sum(pg_total_relation_size(inhrelid))::float8 from pg_inherits where inhparent = 'history'::regclass
      ) as "historyBytes",
      (select count(*)::float8 from history) as messages,
      (
        select count(*)::int from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
      ) as connections`
  const { pid, ...costs } = row
  return { ...costs, processorTime: processorTimeBeside(pid) }
}

/** Of all children of the process's parent, the Postgres server. */
function processorTimeBeside(pid: number): number | null {
  try {
    const parentOf = (one: number) => Number(readFileSync(`/proc/${one}/stat`, 'utf8').split(') ')[1]!.split(' ')[1])
    const parent = parentOf(pid)
    let sum = 0
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue
      try {
        if (parentOf(Number(name)) === parent) {
          sum += Number(readFileSync(`/proc/${name}/schedstat`, 'utf8').split(' ')[0]) / 1_000
        }
      } catch {
        // It has ended.
      }
    }
    return sum
  } catch {
    return null
  }
}
