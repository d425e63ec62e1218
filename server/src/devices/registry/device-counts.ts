import type { Context } from '../../context.ts'
import { countDevices } from '../store/device-counts.ts'

export { maxCounted } from '../store/device-counts.ts'

/** How many of a customer's devices are in each status, up to `maxCounted`. */
export async function countDevicesByStatus(context: Context, customerId: string) {
  return await countDevices(context.sql, customerId)
}
