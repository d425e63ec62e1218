import type { FastifyError } from 'fastify'
import type { Context } from '../../context.ts'
import { type FailureReason, isFailureReason } from '../../events/failure-reasons.ts'
import type { FailureEndpoint } from '../../events/integration-log.ts'
import { toRefusal } from '../../platform/http/refusals.ts'
import type { Refusal } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'

const reasonOfCode: Record<string, FailureReason> = {
  invalid: 'fields_invalid',
  malformed_json: 'body_not_json',
  unsupported_media_type: 'body_not_json',
  too_large: 'message_too_large',
  mac_taken: 'identity_taken',
  sn_taken: 'identity_taken',
  invalid_access_key: 'access_key_wrong',
  device_removed: 'device_removed',
  device_moved: 'device_moved',
}

/** For the partner's integration log: why one of its models' devices could not register. */
export function recordRegistrationRefusal(
  context: Context,
  request: { id: string; body?: unknown },
  error: FastifyError | Refusal,
): void {
  const { status, code, message, reason } = toRefusal(error)
  const model = (request.body as { device_model?: unknown } | null | undefined)?.device_model
  if (typeof model !== 'string' || !isId(model)) return
  context.integrationLog.record({
    request_id: request.id,
    endpoint: 'registration',
    status,
    error: code,
    description: message,
    reason: isFailureReason(reason) ? reason : (reasonOfCode[code] ?? 'fields_invalid'),
    model_id: model,
  })
}

export interface RefusedMessage {
  request_id: string
  endpoint: FailureEndpoint
  device_id: string | null
  status: number
  code: string
  error: string
}

/** Why a message was refused. Without a known device there is no partner to log it for. */
export function recordRefusedMessage(context: Context, message: RefusedMessage): void {
  const { device_id, code, error: description, ...about } = message
  // Overloaded: not the time for another write.
  if (device_id === null || !isId(device_id) || about.status === 503) return
  const reason = code === 'invalid' ? 'telemetry_invalid' : (reasonOfCode[code] ?? 'telemetry_invalid')
  context.integrationLog.record({ ...about, error: code, description, reason, device_id })
}
