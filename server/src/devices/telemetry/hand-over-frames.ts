// What the processes of a cell send each other: one JSON value per line. A reload may bring newer code to one side only,
// so a writer says its version first, and a sender that knows another one stores its messages itself.

import type { Message } from './message.ts'
import { type Accepted, accepted, type Outcome, outcomes } from './outcome.ts'

export const handOverVersion = 1

export interface HandedOver {
  id: number
  messages: Row[]
}

export type FromWriter =
  | { kind: 'hello'; version: number }
  /** Every second: its event loop runs, however long a statement takes. */
  | { kind: 'alive' }
  /** It is about to end: what was sent is still stored, nothing more must be sent. */
  | { kind: 'leaving' }
  /** Outcomes in the order of the messages; without them all were committed, and `waiting` has what waits for some devices. */
  | { kind: 'stored'; id: number; outcomes?: Outcome[]; waiting?: Waiting[] }

type Waiting = [index: number, command: 0 | 1, config_version: number | null]

/** Of messages that were all committed; undefined when nothing waits for their devices, as nearly always. */
export function waitingOf(found: Accepted[]): Waiting[] | undefined {
  const waiting = found.flatMap(({ command, config_version }, index): Waiting[] =>
    command || config_version !== undefined ? [[index, command ? 1 : 0, config_version ?? null]] : [],
  )
  return waiting.length > 0 ? waiting : undefined
}

export function outcomesOf(count: number, waiting: Waiting[] = []): Outcome[] {
  const found: Outcome[] = new Array(count).fill(outcomes.committed)
  for (const [index, command, version] of waiting) found[index] = accepted(command === 1, version)
  return found
}

/** An array, because the names of the fields would be as long as their values. */
type Row = [
  device_id: string,
  key_digest: string,
  arrived_at: number,
  in_call: 0 | 1,
  status: Message['status'],
  timestamp: number,
  keys: number,
  key_count: number,
  telemetries: string,
  message_id: string | null,
  traceparent?: string,
]

export function toRow(message: Message): Row {
  const { device_id, key_digest, arrived_at, in_call, status, timestamp, keys, key_count } = message
  const { telemetries, message_id, traceparent } = message
  const row: Row = [
    ...([device_id, key_digest, arrived_at, in_call ? 1 : 0, status, timestamp, keys, key_count] as const),
    ...([telemetries, message_id] as const),
  ]
  if (traceparent !== undefined) row.push(traceparent)
  return row
}

export function toMessage(row: Row): Message {
  const [device_id, key_digest, arrived_at, in_call, status, timestamp, keys, key_count] = row
  const [, , , , , , , , telemetries, message_id, traceparent] = row
  return {
    ...{ device_id, key_digest, arrived_at, in_call: in_call === 1, status, timestamp, keys, key_count },
    ...{ telemetries, message_id },
    // Recorded by the process that received the message.
    firmware_version: null,
    ...(traceparent === undefined ? {} : { traceparent }),
  }
}
