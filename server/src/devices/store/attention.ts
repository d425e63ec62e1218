import type { Sql } from '../../platform/database/sql.ts'
import { type Device, deviceColumns } from './devices.ts'

/** In the order of their weight. */
export const reasons = ['error', 'offline', 'never_seen'] as const
export type Reason = (typeof reasons)[number]

/** Devices of each reason that are compared in spaces; of a whole customer the index has them in order. */
const maxCompared = 10_000

/** The devices that need attention: by reason, the latest change first. */
export async function listAttention(
  sql: Sql,
  customerId: string,
  spaceIds: string[] | undefined,
  limit: number,
): Promise<(Device & { reason: Reason })[]> {
  return await sql<(Device & { reason: Reason })[]>`
    with found as (
      select wanted.reason, wanted.place, candidate.id, candidate.status_at
      from unnest(${[...reasons]}::text[]) with ordinality as wanted (reason, place)
      cross join lateral (
        select id, status_at from devices
        where customer_id = ${customerId} and status = wanted.reason and removed_at is null
          ${
            spaceIds
              ? sql`and space_id = any(${spaceIds}::uuid[]) and space_id is not null limit ${maxCompared}`
              : sql`and status <> 'online' order by status_at desc, id limit ${limit}`
          }
      ) candidate
      order by place, status_at desc, id limit ${limit}
    )
    select found.reason, ${deviceColumns(sql)}
    from found join devices device on device.id = found.id join device_states state on state.device_id = device.id
    order by found.place, found.status_at desc, found.id`
}
