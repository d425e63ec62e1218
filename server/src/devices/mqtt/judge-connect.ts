import type { IConnectPacket } from 'mqtt-packet'
import { isId } from '../../platform/secrets/identifiers.ts'
import { isWellFormed } from '../../platform/secrets/secrets.ts'
import type { Refused } from './refuse.ts'
import { telemetryTopic } from './topics.ts'

/** What can be told of a CONNECT without asking the database; null when nothing is wrong so far. */
export function judgeConnect(packet: IConnectPacket & { bridgeMode?: boolean }): Refused | null {
  // [MQTT-3.1.2-2] in both versions. 3.1 and the bridges' private versions are others.
  if (packet.protocolId !== 'MQTT' || packet.bridgeMode || (packet.protocolVersion ?? 4) < 4) {
    return { reason: 'unsupported_version', sentence: 'MQTT 3.1.1 and 5 are spoken here.', why: 'mqtt_unsupported' }
  }
  if (packet.properties?.authenticationMethod !== undefined) {
    return {
      reason: 'bad_authentication_method',
      sentence: 'Send the device id as user name and the access_key as password.',
      why: 'mqtt_unsupported',
    }
  }
  if (!isId(packet.clientId) || (packet.username !== undefined && packet.username !== packet.clientId)) {
    const sentence = 'The client id and the user name must both be the device id.'
    return { reason: 'client_id_not_valid', sentence, why: 'client_id_wrong' }
  }
  if (packet.username === undefined || !isWellFormed('device_key', packet.password?.toString('utf8') ?? '')) {
    return {
      reason: 'bad_credentials',
      sentence: 'The user name must be the device id and the password its access_key.',
      why: 'access_key_wrong',
    }
  }
  return packet.will ? judgeWill(packet) : null
}

function judgeWill({ will, clientId, protocolVersion }: IConnectPacket): Refused | null {
  if (will!.topic !== telemetryTopic(clientId)) {
    const sentence = `The will's topic must be ${telemetryTopic(clientId)}.`
    return { reason: 'not_authorized', sentence, why: 'topic_not_allowed' }
  }
  // A will goes to our own store and is never sent to anybody: in 3.1.1, which has no word for it, any QoS and retain do.
  if (protocolVersion === 5 && will!.qos === 2) {
    return { reason: 'qos_not_supported', sentence: 'The will must have QoS 0 or 1.', why: 'mqtt_unsupported' }
  }
  if (protocolVersion === 5 && will!.retain) {
    return { reason: 'retain_not_supported', sentence: 'The will must not be retained.', why: 'mqtt_unsupported' }
  }
  return null
}
