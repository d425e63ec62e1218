import type { FailureReason } from '../../events/failure-reasons.ts'
import type { Reason } from './reason-codes.ts'

/** Why a packet or a connection is refused, for its client and for its partner. */
export interface MqttRefusal {
  reason: Reason
  description: string
  /** In the partner's integration log. */
  logReason: FailureReason
  /** It would be refused however often it is sent: where there is no reason to carry, the message is acknowledged. */
  final?: true
}

/** Something this endpoint does not support. */
export function unsupported(reason: Reason, description: string): MqttRefusal {
  return { reason, description, logReason: 'mqtt_unsupported' }
}
