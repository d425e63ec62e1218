import { parseJson } from '../../platform/bounded-json.ts'
import { ingest } from '../telemetry/ingest.ts'
import type { Connection, Endpoint } from './connection.ts'

/**
 * A connection that ended without a DISCONNECT. If it was the device's current one, the device becomes offline and its
 * will is stored as its last message. [MQTT-3.1.2-8] would publish the will at a take-over too; that would set a device
 * offline that has just reconnected.
 */
export async function handleLostConnection({ context }: Endpoint, connection: Connection): Promise<void> {
  const { id, number, key_digest } = connection.device!
  const lostAt = context.now().toISOString()
  try {
    const wasCurrent = await context.markConnectionLost({ device_id: id, number })
    const will = wasCurrent && connection.willPayload ? parseWill(connection.willPayload) : null
    // With the instant of the loss: whatever the device sends on its next connection is newer.
    if (will)
      await ingest(context, { device_id: id, key_digest, body: { ...will, status: 'offline', timestamp: lostAt } })
  } catch (error) {
    // The model's threshold will set it offline.
    context.log.error({ err: error, device_id: id }, 'mqtt: lost connection not recorded')
  }
}

/** A will need not be telemetry: the device is offline in any case. */
function parseWill(payload: Buffer): object | null {
  try {
    const body: unknown = parseJson(payload.toString('utf8'))
    return typeof body === 'object' && body !== null ? body : null
  } catch {
    return null
  }
}
