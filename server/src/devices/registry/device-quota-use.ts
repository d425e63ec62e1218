import type { BaseContext } from '../../platform/context.ts'
import { countViews } from '../store/device-views-sql.ts'
import { countModels } from '../store/models-sql.ts'
import { countTemplates } from '../store/setting-templates-sql.ts'

/** How many there are of what has a quota. */
export async function countDeviceThings(
  { sql }: BaseContext,
  tenant: { customer_id: string } | { partner_id: string },
) {
  if ('partner_id' in tenant) return { models: await countModels(sql, tenant.partner_id) }
  const { customer_id } = tenant
  return { views: await countViews(sql, customer_id), setting_templates: await countTemplates(sql, customer_id) }
}
