import type { Detail } from '../../platform/refusal.ts'

/** Stored, or the right credential; with what waits for the device, where something does. */
export interface Accepted {
  status: 200
  /** A command waits for the device. */
  command?: true
  /** Of its desired settings; absent when none were ever wanted. */
  config_version?: number
}

/** The result of a message, or of a credential check; the same for HTTP, mass calls and MQTT. */
export type Outcome =
  | Accepted
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
  committed: { status: 200 } as Accepted,
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

/** Only of calls about commands: telemetry is bounded by what waits for its commit. */
export const tooManyCalls = {
  status: 429,
  code: 'too_many_requests',
  error: 'This device asks for its commands too often. Wait a minute, or ask with ?wait=25.',
} as const

/** The same object for nearly all. */
export function accepted(command: boolean, configVersion: number | null): Accepted {
  if (!command && configVersion === null) return outcomes.committed
  return {
    status: 200,
    ...(command ? { command } : {}),
    ...(configVersion === null ? {} : { config_version: configVersion }),
  }
}

export function invalidMessage(details: Detail[]): Outcome {
  const error = `${details.map(({ field, message }) => `${field} ${message}`).join('; ')}.`
  return { status: 422, code: 'invalid', error, details }
}
