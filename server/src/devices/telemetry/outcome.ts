import type { Detail } from '../../platform/refusal.ts'

/** The result of a message, or of a credential check; the same for HTTP, mass calls and MQTT. */
export type Outcome =
  | { status: 200 }
  | { status: 401; code: 'invalid_access_key'; error: string }
  | { status: 410; code: 'device_removed'; error: string }
  | { status: 422; code: 'invalid'; error: string; details: Detail[] }
  | { status: 503; code: 'overloaded' | 'storage_full' | 'unknown_outcome'; error: string }

/** Over HTTP: another hub cell serves the device. */
export interface Moved {
  status: 421
  code: 'device_moved'
  error: string
  hub_url: string
}

export type Unavailable = Extract<Outcome, { status: 503 }>

export const outcomes = {
  committed: { status: 200 },
  wrongKey: { status: 401, code: 'invalid_access_key', error: 'The device is unknown, or this is not its access key.' },
  removed: { status: 410, code: 'device_removed', error: 'The device was removed. Register it again to use it.' },
  overloaded: {
    status: 503,
    code: 'overloaded',
    error: 'Too busy to store the message. Nothing of it was stored: send it again later.',
  },
  storageFull: {
    status: 503,
    code: 'storage_full',
    error: 'The storage of the service is full, and its operator has to make room. Send the message again later.',
  },
  /** Decision 7.60: it was sent to Postgres, and the response was lost. */
  unknown: {
    status: 503,
    code: 'unknown_outcome',
    error: 'The message may be stored: the database was lost before it confirmed. Send the same message again.',
  },
} as const satisfies Record<string, Outcome>

export function invalidMessage(details: Detail[]): Outcome {
  const error = `${details.map(({ field, message }) => `${field} ${message}`).join('; ')}.`
  return { status: 422, code: 'invalid', error, details }
}
