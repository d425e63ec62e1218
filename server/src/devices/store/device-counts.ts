import type { Sql } from '../../platform/database/sql.ts'
import type { EffectiveStatus } from './devices.ts'

/** Counting stops here: an overview must cost the same for a million devices as for a hundred thousand. */
export const maxCounted = 100_000

const everyStatus: EffectiveStatus[] = ['never_seen', 'online', 'offline', 'error']

export async function countDevices(sql: Sql, customerId: string): Promise<Record<EffectiveStatus, number>> {
  const rows = await sql<{ status: EffectiveStatus; count: number }[]>`
    select wanted.status, counted.count
    from unnest(${everyStatus}::text[]) as wanted (status)
    cross join lateral (
      select count(*)::int as count from (
        select from devices
        where customer_id = ${customerId} and devices.status = wanted.status and removed_at is null
        limit ${maxCounted}) as device) as counted`
  return Object.fromEntries(rows.map(({ status, count }) => [status, count])) as Record<EffectiveStatus, number>
}
