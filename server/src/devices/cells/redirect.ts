import type { Context } from '../context.ts'
import type { CellAddresses } from '../store/hub-cells-sql.ts'
import { authenticateDevice, type Credential } from '../telemetry/ingest.ts'
import type { Moved, Outcome } from '../telemetry/outcome.ts'

/** The kind of address that a device sent to: it is sent to the same kind, since it may trust only one certificate. */
export type HubAddress = Exclude<keyof CellAddresses, 'mqtt_hub_url'>

/**
 * Decision 3.19: the outcome of a message for a device that another cell serves; null where this process stores it.
 * Only the device itself is told its address: a wrong key gets the same 401 as everywhere.
 */
export async function redirectDevice(
  context: Context,
  credential: Credential,
  address: HubAddress,
): Promise<Outcome | Moved | null> {
  const cell = await context.cells.elsewhere(credential.device_id)
  if (cell === null) return null
  const verdict = await authenticateDevice(context, credential)
  return verdict.status === 200 ? deviceMoved(cell[address]) : verdict
}

function deviceMoved(hub_url: string): Moved {
  const error = `The device has moved to another hub. Send the message, and all that follow, to ${hub_url}.`
  return { status: 421, code: 'device_moved', error, hub_url }
}
