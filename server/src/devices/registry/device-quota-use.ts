import type { BaseContext } from '../../platform/context.ts'
import { countViews } from '../store/device-views-sql.ts'
import { countModels } from '../store/models-sql.ts'

/** How many there are of what has a quota. */
export async function countDeviceThings(
  { sql }: BaseContext,
  tenant: { customer_id: string } | { partner_id: string },
) {
  return 'partner_id' in tenant
    ? { models: await countModels(sql, tenant.partner_id) }
    : { views: await countViews(sql, tenant.customer_id) }
}
