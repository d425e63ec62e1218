import type { Sql } from '../../platform/database/sql.ts'

/** After a change of the dictionary: the states of all devices of the model are due. */
export async function setAlarmsDue(sql: Sql, modelId: string, at: Date): Promise<void> {
  await sql`
    update models set alarms_changed_at = ${at}, alarms_due_at = ${at},
      alarms_after = '00000000-0000-0000-0000-000000000000'
    where id = ${modelId}`
}

export async function findNextAlarmsDue(sql: Sql): Promise<Date | null> {
  const [row] = await sql<{ due_at: Date | null }[]>`
    select min(alarms_due_at) as due_at from models where alarms_due_at is not null`
  return row!.due_at
}

export interface DueModel {
  id: string
  alarming: Record<string, unknown[]> | null
  changed_at: Date
  after: string
}

/** Locks one model that no other process has; undefined when none is due. */
export async function takeDueModel(sql: Sql, at: Date): Promise<DueModel | undefined> {
  const [row] = await sql<DueModel[]>`
    select id, alarming, alarms_changed_at as changed_at, alarms_after as after
    from models where alarms_due_at <= ${at} order by alarms_due_at limit 1 for no key update skip locked`
  return row
}

/** Null: all devices have them. */
export async function setAlarmsProgress(
  sql: Sql,
  modelId: string,
  { due_at, after }: { due_at: Date | null; after: string | null },
): Promise<void> {
  await sql`update models set alarms_due_at = ${due_at}, alarms_after = ${after} where id = ${modelId}`
}
