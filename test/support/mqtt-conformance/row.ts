import type { Credentials } from '../mqtt.ts'
import type { ConnectChange, Version } from './bytes.ts'

export interface Row {
  /** `[MQTT-x.y.z-n]` by version; a version without one is not sent the row. */
  clause: Partial<Record<Version, string>>
  what: string
  when: 'first' | 'after CONNACK'
  connect?: ConnectChange
  bytes: (device: Credentials, version: Version) => Buffer
  /** What comes back: see `exchange`. */
  expected: Partial<Record<Version, string>>
  /** Whether Mosquitto 2.0.11 keeps the connection open, where it does not do as we do. */
  mosquitto?: Partial<Record<Version, 'open' | 'closed'>>
  /** Rows that depend on who may connect or publish, and have no counterpart at Mosquitto. */
  ours?: true
  showReasons?: true
  showProperties?: string[]
}

type More = Pick<Row, 'connect' | 'mosquitto' | 'ours' | 'showReasons' | 'showProperties'>

/** The first bytes of a connection. */
export function first(
  clause: Row['clause'],
  what: string,
  bytes: Row['bytes'],
  expected: Row['expected'],
  more: More = {},
): Row {
  return { clause, what, when: 'first', bytes, expected, ...more }
}

/** Bytes after a CONNECT that was accepted. */
export function then(
  clause: Row['clause'],
  what: string,
  bytes: Row['bytes'],
  expected: Row['expected'],
  more: More = {},
): Row {
  return { clause, what, when: 'after CONNACK', bytes, expected, ...more }
}

export const malformedConnect = { 4: 'closed', 5: 'CONNACK 0x81, closed' }
export const malformed = { 4: 'closed', 5: 'DISCONNECT 0x81, closed' }
export const protocolError = { 4: 'closed', 5: 'DISCONNECT 0x82, closed' }
export const accepted = { 4: 'CONNACK 0x00, open', 5: 'CONNACK 0x00, open' }
export const stored = { 4: 'PUBACK 7, open', 5: 'PUBACK 7 0x00, open' }
