import { parseJson } from '../../platform/bounded-json.ts'
import { messageLimits } from '../../platform/own-limits.ts'
import type { Refusal } from '../../platform/refusal.ts'
import type { Tracing } from '../../platform/tracing.ts'
import type { Context } from '../context.ts'
import { type IncomingMessage, ingest, type Outcome } from '../telemetry/ingest.ts'
import { type ReportTopic, reportTopicOf } from './device-topics.ts'
import { type Connection, type Endpoint, finishThisTick, type Pending, reasonString, send } from './mqtt-connection.ts'
import { type MqttRefusal, unsupported } from './mqtt-refusal.ts'
import { report } from './mqtt-reports.ts'
import type { PublishPacket } from './packets/publish-packet.ts'
import { credentialLogReasons, recordRefusal, refuse } from './refuse.ts'

export function handlePublish(endpoint: Endpoint, connection: Connection, packet: PublishPacket): void {
  const { context } = endpoint
  const judged = judgePublish(packet, connection)
  // Without the payload, which would keep all bytes that were read with it until the commit.
  const pending: Pending = { qos: packet.qos, messageId: packet.messageId, result: null }
  connection.pending.push(pending)
  if ('reason' in judged) {
    context.messageCounters.countRefused('mqtt', judged.logReason)
    settleLater(endpoint, connection, pending, judged)
    return
  }
  if (judged.about) {
    const { feed } = judged.about
    void report(context, connection.device!, judged.about, judged.body).then((result) => {
      settleLater(endpoint, connection, pending, result)
      // Its settings have changed meanwhile: over HTTP the refusal has the newest ones.
      if (feed === 'config' && 'final' in result) endpoint.pushes.onSubscribe(connection, feed)
    })
    return
  }
  const { id, key_digest } = connection.device!
  const message = { device_id: id, key_digest, body: judged.body }
  const caller = packet.properties?.userProperties?.find(([name]) => name === 'traceparent')?.[1]
  const ingested = context.tracing ? ingestTraced(context, context.tracing, caller, message) : ingest(context, message)
  void ingested.then((outcome) => {
    context.messageCounters.count('mqtt', outcome)
    pending.result = outcome
    settle(endpoint, connection)
  })
}

function settleLater(
  endpoint: Endpoint,
  connection: Connection,
  pending: Pending,
  result: Outcome | MqttRefusal,
): void {
  pending.result = result
  if ('reason' in result) connection.refused ||= endsConnection(connection, pending, result)
  settle(endpoint, connection)
}

/** Ends the connection because of what its client sent, after the messages before it were settled. */
export function refuseInTurn(endpoint: Endpoint, connection: Connection, refusal: MqttRefusal): void {
  connection.refused = true
  connection.pending.push({ qos: 0, messageId: 0, result: refusal })
  settle(endpoint, connection)
}

/** Settles the messages whose turn it is. */
function settle(endpoint: Endpoint, connection: Connection): void {
  const { pending } = connection
  for (let first = pending[0]; first && first.result !== null; first = pending[0]) {
    pending.shift()
    if ('reason' in first.result) refuseMessage(endpoint, connection, first, first.result)
    else settleMessage(endpoint, connection, first, first.result)
  }
  finishThisTick(connection)
}

async function ingestTraced(
  context: Context,
  tracing: Tracing,
  caller: string | undefined,
  message: IncomingMessage,
): Promise<Outcome> {
  const span = tracing.start({ name: 'PUBLISH v1/devices/:id/telemetry', kind: 'server', caller })
  const outcome = await tracing.run(span, () => ingest(context, message))
  span.end({ 'landbridge.status': outcome.status }, { failed: outcome.status === 503 })
  return outcome
}

/** A PUBLISH to a topic of the device with a JSON body, or what is wrong with it; `about` is null for telemetry. */
function judgePublish(
  packet: PublishPacket,
  { device, version }: Connection,
): { about: ReportTopic | null; body: unknown } | MqttRefusal {
  const { topic: ownTopic, clientId } = device!
  if (packet.qos === 2) return unsupported('qos_not_supported', 'Publish with QoS 0 or 1.')
  // [MQTT5 3.3.2-9] the CONNACK granted no aliases.
  if (packet.properties?.topicAlias !== undefined) {
    return unsupported('topic_alias_invalid', 'Topic aliases are not supported.')
  }
  // 3.1.1 has no reason code for it; without subscribers a retained message is like any other.
  if (packet.retain && version === 5) return unsupported('retain_not_supported', 'Publish without retain.')
  const about = packet.topic === ownTopic ? null : reportTopicOf(packet.topic, clientId)
  if (packet.topic !== ownTopic && about === null) {
    // [MQTT-3.3.2-2] a topic name has no wildcards.
    const reason = /[+#]/.test(packet.topic) ? 'topic_name_invalid' : 'not_authorized'
    const description = `This device may only publish to ${ownTopic}, and report commands and settings.`
    return { reason, description, logReason: 'topic_not_allowed' }
  }
  if (packet.payload.length > messageLimits.bytes) {
    const description = 'A message must not exceed 128 KiB.'
    return { reason: 'packet_too_large', description, logReason: 'message_too_large' }
  }
  try {
    return { about, body: parseJson(packet.payload.toString('utf8')) }
  } catch (error) {
    const description = (error as Refusal).message
    return { reason: 'payload_format_invalid', description, logReason: 'telemetry_invalid' }
  }
}

/** In both versions the acknowledgement means committed, and is never sent for anything less. */
function settleMessage(endpoint: Endpoint, connection: Connection, message: Pending, outcome: Outcome): void {
  switch (outcome.status) {
    case 200:
      if (message.qos === 1) connection.acknowledged.push(message.messageId)
      break
    case 422:
      refuseMessage(endpoint, connection, message, {
        reason: 'payload_format_invalid',
        description: outcome.error,
        logReason: 'telemetry_invalid',
      })
      break
    case 503:
      // Without an acknowledgement the device sends it again when it reconnects. It is not lost: the fault is ours.
      connection.closeExpected = true
      refuse(endpoint, connection, {
        reason: outcome.code === 'unknown_outcome' ? 'unspecified_error' : 'server_busy',
        description: outcome.error,
        logReason: outcome.code,
      })
      break
    default: {
      // The device was just removed or has a new key: the notification that ends this connection is on its way.
      connection.closeExpected = true
      const logReason = credentialLogReasons[outcome.status]
      const reason = outcome.status === 410 ? 'administrative_action' : 'not_authorized'
      refuse(endpoint, connection, { reason, description: outcome.error, logReason })
    }
  }
}

/**
 * Version 5 carries the reason in the PUBACK and the connection stays. Where there is no such PUBACK (QoS 0, and all of
 * 3.1.1) the connection ends: [MQTT-3.3.5-2] leaves 3.1.1 that or a false acknowledgement. A report that will never be
 * accepted is acknowledged all the same (decision 7.88).
 */
function refuseMessage(endpoint: Endpoint, connection: Connection, message: Pending, refusal: MqttRefusal): void {
  if (endsConnection(connection, message, refusal)) {
    refuse(endpoint, connection, refusal)
    return
  }
  const { reason, description } = refusal
  const reasonCode = pubackCodes[reason as keyof typeof pubackCodes]
  connection.budget.takeOther(0)
  recordRefusal(endpoint, connection, refusal)
  const { qos, messageId } = message
  if (hasPuback(connection, message, refusal)) {
    send(connection, { cmd: 'puback', messageId, reasonCode, properties: reasonString(description) })
  } else if (qos === 1) connection.acknowledged.push(messageId)
}

function endsConnection(connection: Connection, message: Pending, refusal: MqttRefusal): boolean {
  return !refusal.final && !hasPuback(connection, message, refusal)
}

function hasPuback({ version }: Connection, { qos }: Pending, { reason }: MqttRefusal): boolean {
  return version === 5 && qos === 1 && reason in pubackCodes
}

/** [MQTT5 3.4.2.1] the reasons a PUBACK may carry; the others end the connection. */
const pubackCodes = {
  implementation_specific_error: 0x83,
  not_authorized: 0x87,
  topic_name_invalid: 0x90,
  payload_format_invalid: 0x99,
}
