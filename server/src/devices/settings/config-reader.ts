import type { BaseContext } from '../../platform/context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { perLane } from '../telemetry-store/telemetry-store.ts'
import { readConfig } from './device-settings.ts'
import type { Config } from './settings-refusals.ts'

/** The settings of a device; those that are asked for at the same moment share a statement. */
export function createConfigReader({ sql }: BaseContext): (deviceId: string) => Promise<Config | undefined> {
  return perLane(
    sql,
    (deviceId: string) => deviceId,
    () =>
      coalesce(async (deviceIds: string[]) => {
        const found = await readConfig({ sql }, [...new Set(deviceIds)])
        return deviceIds.map((id) => found.get(id))
      }),
  )
}
