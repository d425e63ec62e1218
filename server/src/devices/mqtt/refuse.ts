import type { FailureReason } from '../../events/failure-reasons.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import { type Connection, endConnection } from './connection.ts'
import type { Endpoint } from './endpoint.ts'
import type { Reason } from './reason-codes.ts'

export interface Refused {
  reason: Reason
  sentence: string
  /** For the partner's integration log. */
  why: FailureReason
}

/** Why a device's credentials were not taken. */
export const whyOf = { 401: 'access_key_wrong', 410: 'device_removed' } as const

/** Ends a connection over what its device did. */
export function refuse(endpoint: Endpoint, connection: Connection, refused: Refused): void {
  if (connection.state === 'ended') return
  noteRefusal(endpoint, connection, refused)
  endConnection(connection, refused.reason, refused.sentence)
}

/** 3.1.1 often gets no word at all: here its partner finds one, under the connection's id. */
export function noteRefusal(
  { context }: Endpoint,
  connection: Connection,
  { reason: error, sentence: description, why: reason }: Refused,
  device_id = connection.device?.id ?? '',
): void {
  if (!isId(device_id)) return
  const request_id = connection.id
  context.integrationLog.record({ request_id, endpoint: 'mqtt', status: 0, error, description, reason, device_id })
}
