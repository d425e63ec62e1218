import type { Context } from '../context.ts'
import { type DeviceProgress, findDeviceProgress } from '../store/partner-progress-sql.ts'

/** How far a partner has come with its devices. */
export function getDeviceProgress(context: Context, partnerId: string): Promise<DeviceProgress> {
  return findDeviceProgress(context.sql, partnerId)
}
