import type { IConnectPacket } from 'mqtt-packet'
import { isId } from '../../platform/secrets/identifiers.ts'
import { isWellFormed } from '../../platform/secrets/secrets.ts'
import type { Reason } from './reason-codes.ts'
import { telemetryTopic } from './topics.ts'

export interface ConnectRefusal {
  reason: Reason
  sentence: string
}

/** What can be told of a CONNECT without asking the database; null when nothing is wrong so far. */
export function judgeConnect(packet: IConnectPacket & { bridgeMode?: boolean }): ConnectRefusal | null {
  // [MQTT-3.1.2-2] in both versions. 3.1 and the bridges' private versions are others.
  if (packet.protocolId !== 'MQTT' || packet.bridgeMode || (packet.protocolVersion ?? 4) < 4) {
    return { reason: 'unsupported_version', sentence: 'MQTT 3.1.1 and 5 are spoken here.' }
  }
  if (packet.properties?.authenticationMethod !== undefined) {
    return {
      reason: 'bad_authentication_method',
      sentence: 'Send the device id as user name and the access_key as password.',
    }
  }
  if (!isId(packet.clientId) || (packet.username !== undefined && packet.username !== packet.clientId)) {
    return { reason: 'client_id_not_valid', sentence: 'The client id and the user name must both be the device id.' }
  }
  if (packet.username === undefined || !isWellFormed('device_key', packet.password?.toString('utf8') ?? '')) {
    return {
      reason: 'bad_credentials',
      sentence: 'The user name must be the device id and the password its access_key.',
    }
  }
  return packet.will ? judgeWill(packet) : null
}

function judgeWill({ will, clientId, protocolVersion }: IConnectPacket): ConnectRefusal | null {
  if (will!.topic !== telemetryTopic(clientId)) {
    return { reason: 'not_authorized', sentence: `The will's topic must be ${telemetryTopic(clientId)}.` }
  }
  // A will goes to our own store and is never sent to anybody: in 3.1.1, which has no word for it, any QoS and retain do.
  if (protocolVersion === 5 && will!.qos === 2) {
    return { reason: 'qos_not_supported', sentence: 'The will must have QoS 0 or 1.' }
  }
  if (protocolVersion === 5 && will!.retain) {
    return { reason: 'retain_not_supported', sentence: 'The will must not be retained.' }
  }
  return null
}
