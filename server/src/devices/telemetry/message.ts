import type { Credential } from '../telemetry-store/telemetry-store.ts'
import type { Telemetry } from './telemetry.ts'

/** A telemetry message on its way to the database. */
export interface Message extends Telemetry, Credential {
  arrived_at: number
  /** One of many in a call, which gets one response for all. */
  in_call: boolean
  /** The span of its commit, while it is traced. */
  traceparent?: string
}
