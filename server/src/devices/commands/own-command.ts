import type { Sql } from '../../platform/database/sql.ts'
import { type CustomerOwner, findDevice } from '../store/devices-sql.ts'
import { type CommandRow, findCommand } from '../telemetry-store/telemetry-store.ts'

/** A command of a device that the owner reaches; another's, and one of a removed device, are unknown. */
export async function findOwnCommand(
  sql: Sql,
  owner: CustomerOwner,
  deviceId: string,
  id: string,
): Promise<CommandRow | undefined> {
  const command = await findCommand(sql, id)
  if (!command || command.device_id !== deviceId || command.customer_id !== owner.customer_id) return undefined
  return (await findDevice(sql, owner, deviceId)) ? command : undefined
}
