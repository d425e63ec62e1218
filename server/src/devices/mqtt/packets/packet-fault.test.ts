import assert from 'node:assert/strict'
import { it } from 'node:test'
import { malformed, PacketFault, protocolError } from './packet-fault.ts'

it('[MQTT5 4.13.1-1] a fault has the reason that its client is told', () => {
  for (const [fault, reason] of [
    [malformed('No.'), 'malformed_packet'],
    [protocolError('No.'), 'protocol_error'],
    [new PacketFault('packet_too_large', 'No.'), 'packet_too_large'],
  ] as const)
    assert.deepEqual([fault.reason, fault.message, fault instanceof Error], [reason, 'No.', true])
})
