import { mqttLimits } from '../../platform/own-limits.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import { isWellFormed } from '../../platform/secrets/secrets.ts'
import type { HubCell } from '../store/hub-cells-sql.ts'
import { authenticateDevice, type Credential, keyDigest, type Outcome, outcomes } from '../telemetry/ingest.ts'
import { telemetryTopic } from './device-topics.ts'
import { refuseMoved } from './moved-connections.ts'
import {
  addConnection,
  type Connection,
  type Endpoint,
  endConnection,
  refuseConnect,
  removeConnection,
  send,
  startKeepAlive,
} from './mqtt-connection.ts'
import { type MqttRefusal, unsupported } from './mqtt-refusal.ts'
import type { ConnectPacket } from './packets/connect-packet.ts'
import { credentialLogReasons, recordRefusal } from './refuse.ts'

export async function handleConnect(endpoint: Endpoint, connection: Connection, packet: ConnectPacket): Promise<void> {
  const { maximumPacketSize, receiveMaximum, requestProblemInformation, sessionExpiryInterval } = packet.properties
  connection.maxBytes = maximumPacketSize ?? Number.POSITIVE_INFINITY
  connection.receiveMaximum = receiveMaximum ?? mqttLimits.inFlight
  connection.problemInformation = requestProblemInformation !== 0
  connection.withoutSession = !sessionExpiryInterval
  const refusal = judgeConnect(packet, connection.version)
  if (refusal) {
    // Either of the two may name the device.
    recordRefusal(endpoint, connection, refusal, isId(packet.clientId) ? packet.clientId : packet.username)
    refuseConnect(connection, refusal.reason, refusal.description)
    return
  }

  const id = packet.clientId.toLowerCase()
  const key_digest = keyDigest(packet.password!.toString('utf8'))
  connection.state = 'connecting'
  // Before the credentials are checked: a notification of a removal or of a later connection must find this one.
  addConnection(endpoint, id, connection)
  connection.socket.once('close', () => removeConnection(endpoint, id, connection))
  const verdict = await judgeCredentials(endpoint, connection, { device_id: id, key_digest })
  // A notification may have ended it meanwhile; the refusal is recorded all the same.
  const ended = connection.state !== 'connecting'
  if (verdict.status !== 200) {
    const reason = credentialReasons[verdict.status]
    if (verdict.status !== 503) {
      const logReason = credentialLogReasons[verdict.status]
      recordRefusal(endpoint, connection, { reason, description: verdict.error, logReason }, id)
    }
    if (!ended) refuseConnect(connection, reason, verdict.error)
    return
  }
  if (ended) return
  if ('movedTo' in verdict) {
    refuseMoved(connection, verdict.movedTo)
    return
  }
  const { number } = verdict
  const { clientId } = packet
  connection.device = { id, clientId, key_digest, topic: telemetryTopic(clientId), number }
  connection.willPayload = packet.will ? Buffer.from(packet.will.payload) : null
  connection.state = 'open'
  startKeepAlive(connection, packet.keepAlive)
  // Never a session: what waits for a device is in the database, and is sent at each SUBSCRIBE.
  if (connection.version === 5) {
    send(connection, { cmd: 'connack', sessionPresent: false, reasonCode: 0, properties: capabilities(connection) })
  } else {
    send(connection, { cmd: 'connack', sessionPresent: false, returnCode: 0 })
  }
  if (number < connection.takenOverBy) {
    connection.closeExpected = true
    endConnection(connection, 'session_taken_over')
  }
}

/** Everything that can be checked without the database; null when nothing is wrong so far. */
function judgeConnect(packet: ConnectPacket, version: 4 | 5): MqttRefusal | null {
  const { authenticationMethod, maximumPacketSize = Number.POSITIVE_INFINITY } = packet.properties
  if (maximumPacketSize < mqttLimits.leastPacketBytes) {
    return unsupported('packet_too_large', `The maximum packet size must be at least ${mqttLimits.leastPacketBytes}.`)
  }
  if (authenticationMethod !== undefined) {
    const description = 'Send the device id as user name and the access_key as password.'
    return unsupported('bad_authentication_method', description)
  }
  if (!isId(packet.clientId) || (packet.username !== undefined && packet.username !== packet.clientId)) {
    const description = 'The client id and the user name must both be the device id.'
    return { reason: 'client_id_not_valid', description, logReason: 'client_id_wrong' }
  }
  if (packet.username === undefined || !isWellFormed('device_key', packet.password?.toString('utf8') ?? '')) {
    const description = 'The user name must be the device id and the password its access_key.'
    return { reason: 'bad_credentials', description, logReason: 'access_key_wrong' }
  }
  return packet.will ? judgeWill(packet.clientId, packet.will, version) : null
}

function judgeWill(
  clientId: string,
  { topic, qos, retain }: NonNullable<ConnectPacket['will']>,
  version: 4 | 5,
): MqttRefusal | null {
  if (topic !== telemetryTopic(clientId)) {
    const description = `The will topic must be ${telemetryTopic(clientId)}.`
    return { reason: 'not_authorized', description, logReason: 'topic_not_allowed' }
  }
  // The will is stored, not sent to subscribers: 3.1.1, which has no reason code for it, may use any QoS and retain.
  if (version === 5 && qos === 2) {
    return unsupported('qos_not_supported', 'The will must have QoS 0 or 1.')
  }
  if (version === 5 && retain) {
    return unsupported('retain_not_supported', 'The will must not be retained.')
  }
  return null
}

/** [MQTT5 3.2.2.3] the CONNACK lists what this server does not support, so that a client need not try. */
function capabilities({ withoutSession }: Connection) {
  return {
    ...(withoutSession ? {} : { sessionExpiryInterval: 0 }),
    receiveMaximum: mqttLimits.inFlight,
    maximumQoS: 1,
    retainAvailable: false,
    maximumPacketSize: mqttLimits.packetBytes,
    wildcardSubscriptionAvailable: false,
    subscriptionIdentifiersAvailable: false,
    sharedSubscriptionAvailable: false,
  }
}

type Verdict =
  | Exclude<Outcome, { status: 200 } | { status: 422 }>
  | { status: 200; number: number }
  | { status: 200; movedTo: HubCell }

/** Authenticates before it registers: only the device itself may take over its connection, or learn where to connect. */
async function judgeCredentials(
  { context }: Endpoint,
  { version }: Connection,
  credential: Credential,
): Promise<Verdict> {
  const outcome = await authenticateDevice(context, credential)
  if (outcome.status !== 200) return outcome as Verdict
  // Decision 3.19: 3.1.1 cannot name another server, so a refusal would lock the device out.
  const movedTo = version === 5 ? await context.cells.elsewhere(credential.device_id) : null
  if (movedTo) return { status: 200, movedTo }
  // Its first message would be refused and end the connection: each such round would write to the disk that is full.
  if (context.disk.isFull()) return outcomes.storageFull
  try {
    return { status: 200, number: await context.registerConnection(credential.device_id) }
  } catch (error) {
    context.log.error({ err: error, device_id: credential.device_id }, 'mqtt: connection not registered')
    return outcomes.overloaded
  }
}

const credentialReasons = { 401: 'bad_credentials', 410: 'not_authorized', 503: 'server_unavailable' } as const
