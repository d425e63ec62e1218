import type { Sql } from '../../platform/database/sql.ts'
import { inReach } from './lanes.ts'

/** When the next deadline passes; null when no device has one. */
export async function findNextDeadline(sql: Sql): Promise<Date | null> {
  const [row] = await sql<
    { due_at: Date }[]
  >`select due_at from offline_deadlines where ${inReach(sql)} order by due_at limit 1`
  return row?.due_at ?? null
}

export async function hasStatusChanges(sql: Sql): Promise<boolean> {
  const [row] = await sql<
    [{ found: boolean }]
  >`select exists (select from status_changes where ${inReach(sql)}) as found`
  return row.found
}
