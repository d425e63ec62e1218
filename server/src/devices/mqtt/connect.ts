import type { IConnectPacket } from 'mqtt-packet'
import { isId } from '../../platform/secrets/identifiers.ts'
import { registerConnection } from '../live/connections.ts'
import { authenticateDevice, type Credential, keyDigest, type Outcome, outcomes } from '../telemetry/ingest.ts'
import { type Connection, endConnection, refuseConnect, send } from './connection.ts'
import { type Endpoint, forget, keep } from './endpoint.ts'
import { judgeConnect } from './judge-connect.ts'
import { restartKeepAlive } from './keep-alive.ts'
import { maxInFlight, maxPacketBytes } from './limits.ts'
import { noteRefusal, whyOf } from './refuse.ts'
import { telemetryTopic } from './topics.ts'
import { willOf } from './will.ts'

export async function handleConnect(endpoint: Endpoint, connection: Connection, packet: IConnectPacket): Promise<void> {
  connection.version = packet.protocolVersion === 5 ? 5 : 4
  connection.maxBytes = packet.properties?.maximumPacketSize ?? Number.POSITIVE_INFINITY
  const refusal = judgeConnect(packet)
  if (refusal) {
    // Whichever of the two is a device's id tells whose it was.
    noteRefusal(endpoint, connection, refusal, isId(packet.clientId) ? packet.clientId : packet.username)
    refuseConnect(connection, refusal.reason, refusal.sentence)
    return
  }

  const id = packet.clientId.toLowerCase()
  const key_digest = keyDigest(packet.password!.toString('utf8'))
  connection.state = 'connecting'
  // Known here before the database is asked: word of a removal or of a later connection must find it.
  keep(endpoint, id, connection)
  connection.socket.once('close', () => forget(endpoint, id, connection))
  const verdict = await judgeCredentials(endpoint, { device_id: id, key_digest })
  // Word of the removal may have closed it already; the partner is told all the same.
  const gone = connection.state !== 'connecting'
  if (verdict.status !== 200) {
    const reason = refusals[verdict.status]
    if (verdict.status !== 503) {
      noteRefusal(endpoint, connection, { reason, sentence: verdict.error, why: whyOf[verdict.status] }, id)
    }
    if (!gone) refuseConnect(connection, reason, verdict.error)
    return
  }
  if (gone) return
  const { number } = verdict
  connection.device = { id, key_digest, topic: telemetryTopic(packet.clientId), number }
  connection.will = willOf(packet)
  connection.state = 'open'
  restartKeepAlive(connection, packet.keepalive ?? 0)
  // No session outlives its connection: there is nothing to deliver to a device, so nothing to keep.
  if (connection.version === 5) {
    send(connection, { cmd: 'connack', sessionPresent: false, reasonCode: 0, properties: offer(packet) })
  } else {
    send(connection, { cmd: 'connack', sessionPresent: false, returnCode: 0 })
  }
  if (number < connection.overtakenBy) {
    connection.leaves = true
    endConnection(connection, 'session_taken_over')
  }
}

/** [MQTT5 3.2.2.3] what this server does not do is said here, so that a client need not find out by failing. */
function offer(packet: IConnectPacket) {
  return {
    ...(packet.properties?.sessionExpiryInterval ? { sessionExpiryInterval: 0 } : {}),
    receiveMaximum: maxInFlight,
    maximumQoS: 1,
    retainAvailable: false,
    maximumPacketSize: maxPacketBytes,
    wildcardSubscriptionAvailable: false,
    subscriptionIdentifiersAvailable: false,
    sharedSubscriptionAvailable: false,
  }
}

type Verdict = Exclude<Outcome, { status: 200 } | { status: 422 }> | { status: 200; number: number }

/** Authenticated first, so that a stranger cannot end a device's connection by naming it. */
async function judgeCredentials({ context }: Endpoint, credential: Credential): Promise<Verdict> {
  const outcome = await authenticateDevice(context, credential)
  if (outcome.status !== 200) return outcome as Verdict
  try {
    return { status: 200, number: await registerConnection(context)(credential.device_id) }
  } catch (error) {
    context.log.error({ err: error, device_id: credential.device_id }, 'mqtt: a connection could not be taken')
    return outcomes.overloaded
  }
}

const refusals = { 401: 'bad_credentials', 410: 'not_authorized', 503: 'server_unavailable' } as const
