import type { Age } from '../../platform/database/sql.ts'
import { agedBefore, cancelWhen, type Sql } from '../../platform/database/sql.ts'
import { belongsTo, type EffectiveStatus, type Owner } from './devices.ts'

/** A device with what bounds its status history. Removed devices are found too. */
export interface StatusSubject {
  number: number
  status: EffectiveStatus
  registered_at: Date
  claimed_at: Date | null
  removed_at: Date | null
}

export async function findStatusSubject(sql: Sql, owner: Owner, id: string): Promise<StatusSubject | undefined> {
  const [row] = await sql<StatusSubject[]>`
    select number, status, registered_at, claimed_at, removed_at from devices device
    where id = ${id} and ${belongsTo(sql, owner)}`
  return row
}

/** The status at an instant: what the next change says it was before. Undefined when nothing changed since. */
export async function findStatusAt(sql: Sql, number: number, at: Date): Promise<EffectiveStatus | undefined> {
  const [row] = await sql<{ previous: EffectiveStatus }[]>`
    select previous from status_history where device_number = ${number} and at > ${at} order by at, id limit 1`
  return row?.previous
}

/** A position between two changes of a device. */
export interface StatusCursor {
  at: Date
  id: string
}

export interface StatusHistoryRow extends StatusCursor {
  status: EffectiveStatus
}

/** The changes after `from` and before the cursor, newest first. */
export async function listStatusChanges(
  sql: Sql,
  number: number,
  { from, before, limit }: { from: Date; before: StatusCursor; limit: number },
): Promise<StatusHistoryRow[]> {
  return await sql<StatusHistoryRow[]>`
    select at, id::text as id, status from status_history change
    where device_number = ${number} and at > ${from} and (at, id) < (${before.at}::timestamptz, ${before.id}::bigint)
    order by change.at desc, change.id desc limit ${limit}`
}

export interface StatusTotals {
  /** Of the first change; null without any. */
  first_at: Date | null
  seconds: Partial<Record<EffectiveStatus, number>>
}

/** How long each status lasted from the first change of the range on. */
export async function sumStatuses(
  sql: Sql,
  number: number,
  { from, to }: { from: Date; to: Date },
  signal: AbortSignal | undefined,
): Promise<StatusTotals> {
  const statement = sql<[StatusTotals]>`
    with change as (
      select at, status, coalesce(lead(at) over (order by at, id), ${to}::timestamptz) as until
      from status_history where device_number = ${number} and at > ${from} and at <= ${to}
    ), total as (
      select status, min(at) as first_at, sum(extract(epoch from until - at))::float8 as seconds from change group by status
    )
    select min(first_at) as first_at, coalesce(json_object_agg(status, seconds), '{}') as seconds from total`
  const [row] = await cancelWhen(signal, statement)
  return row
}

/** Returns how many were deleted. */
export async function deleteOldStatuses(sql: Sql, age: Age, max: number): Promise<number> {
  const { count } = await sql`
    delete from status_history where ctid = any(array(
      select ctid from status_history where at < ${agedBefore(sql, age)} order by at limit ${max} for update skip locked
    ))`
  return count
}
