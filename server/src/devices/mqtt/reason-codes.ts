/** MQTT 5: section 2.4 of its specification. 3.1.1 has return codes for CONNACK only: its table 3.1. */
export const reasons = {
  success: { v5: 0x00, connack: 0x00 },
  disconnect_with_will: { v5: 0x04 },
  unspecified_error: { v5: 0x80 },
  malformed_packet: { v5: 0x81 },
  protocol_error: { v5: 0x82 },
  implementation_specific_error: { v5: 0x83 },
  unsupported_version: { v5: 0x84, connack: 0x01 },
  client_id_not_valid: { v5: 0x85, connack: 0x02 },
  bad_credentials: { v5: 0x86, connack: 0x04 },
  not_authorized: { v5: 0x87, connack: 0x05 },
  server_unavailable: { v5: 0x88, connack: 0x03 },
  server_busy: { v5: 0x89, connack: 0x03 },
  server_shutting_down: { v5: 0x8b },
  bad_authentication_method: { v5: 0x8c },
  keep_alive_timeout: { v5: 0x8d },
  session_taken_over: { v5: 0x8e },
  topic_filter_invalid: { v5: 0x8f },
  topic_name_invalid: { v5: 0x90 },
  topic_alias_invalid: { v5: 0x94 },
  packet_too_large: { v5: 0x95 },
  administrative_action: { v5: 0x98 },
  payload_format_invalid: { v5: 0x99 },
  retain_not_supported: { v5: 0x9a },
  qos_not_supported: { v5: 0x9b },
  server_moved: { v5: 0x9d },
  subscription_identifiers_not_supported: { v5: 0xa1 },
} as const satisfies Record<string, { v5: number; connack?: number }>

export type Reason = keyof typeof reasons

/** 3.1.1 has five reasons to refuse a CONNECT; any other closes the connection without a reply. */
export function connackCode(reason: Reason): number | undefined {
  const codes: { v5: number; connack?: number } = reasons[reason]
  return codes.connack
}
