import type { Reason } from '../reason-codes.ts'

/** What is wrong with a packet that cannot be read: [MQTT-4.8.0-1, MQTT5 4.13.1-1] its connection ends. */
export class PacketFault extends Error {
  readonly reason: Extract<Reason, 'malformed_packet' | 'protocol_error' | 'packet_too_large' | 'unsupported_version'>

  constructor(reason: PacketFault['reason'], sentence: string) {
    super(sentence)
    this.reason = reason
  }
}

export function malformed(sentence: string): PacketFault {
  return new PacketFault('malformed_packet', sentence)
}

export function protocolError(sentence: string): PacketFault {
  return new PacketFault('protocol_error', sentence)
}
