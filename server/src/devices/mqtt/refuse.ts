import { isId } from '../../platform/secrets/identifiers.ts'
import { type Connection, type Endpoint, endConnection } from './mqtt-connection.ts'
import type { MqttRefusal } from './mqtt-refusal.ts'

export const credentialLogReasons = { 401: 'access_key_wrong', 410: 'device_removed' } as const

/** Ends a connection because of what its client sent. */
export function refuse(endpoint: Endpoint, connection: Connection, refusal: MqttRefusal): void {
  if (connection.state === 'ended') return
  recordRefusal(endpoint, connection, refusal)
  endConnection(connection, refusal.reason, refusal.description)
}

/** 3.1.1 often carries no reason to the client, so the partner finds it in the integration log. */
export function recordRefusal(
  { context }: Pick<Endpoint, 'context'>,
  connection: Connection,
  { reason: error, description, logReason: reason }: MqttRefusal,
  device_id = connection.device?.id ?? '',
): void {
  if (!isId(device_id)) return
  const request_id = connection.id
  context.integrationLog.record({ request_id, endpoint: 'mqtt', status: 0, error, description, reason, device_id })
}

/** [MQTT5 3.1.2-24, 3.1.2-25] a message beyond the client's maximum packet size is not sent: its partner finds out here. */
export function recordPushTooLarge(endpoint: Pick<Endpoint, 'context'>, connection: Connection, topic: string): void {
  const description = `A message to ${topic} exceeds the maximum packet size of the client: it can be read over HTTP.`
  recordRefusal(endpoint, connection, { reason: 'packet_too_large', description, logReason: 'mqtt_unsupported' })
}
