import { parseJson } from '../../platform/bounded-json.ts'
import { markConnectionLost } from '../live/connections.ts'
import { ingest } from '../telemetry/ingest.ts'
import type { Connection } from './connection.ts'
import type { Endpoint } from './endpoint.ts'

/**
 * A connection that ended without a DISCONNECT. While it was the device's current one the device turns offline, and its
 * will is stored as its last message. [MQTT-3.1.2-8] would have the will published at a take-over too; that would turn
 * a device offline which has just come back.
 */
export async function handleLostConnection({ context }: Endpoint, { device, will }: Connection): Promise<void> {
  const { id, number, key_digest } = device!
  const lostAt = context.now().toISOString()
  try {
    const current = await markConnectionLost(context)({ device_id: id, number })
    const body = will && current ? readWill(will.payload) : null
    // With the instant of the loss: whatever the device says on its next connection is newer.
    if (body)
      await ingest(context, { device_id: id, key_digest, body: { ...body, status: 'offline', timestamp: lostAt } })
  } catch (error) {
    // The threshold will turn it offline.
    context.log.error({ err: error, device_id: id }, 'mqtt: a lost connection could not be noted')
  }
}

/** A will need not be telemetry: whatever it says, the device is offline. */
function readWill(payload: Buffer): object | null {
  try {
    const body: unknown = parseJson(payload.toString('utf8'))
    return typeof body === 'object' && body !== null ? body : null
  } catch {
    return null
  }
}
