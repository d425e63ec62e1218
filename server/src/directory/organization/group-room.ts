import type { BaseContext } from '../../platform/context.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { requireRoom } from '../../platform/quotas.ts'
import { countGroups } from '../store/groups-sql.ts'

/** For groups that are created by their own call, and those that come with a person. */
export async function requireRoomForGroups(
  context: BaseContext,
  sql: Sql,
  customerId: string,
  adding = 1,
): Promise<void> {
  const tenant = { customer_id: customerId }
  await requireRoom(context, sql, 'groups', { tenant, adding, count: () => countGroups(sql, customerId) })
}
