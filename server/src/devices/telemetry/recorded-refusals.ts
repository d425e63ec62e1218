import type { FastifyError, FastifyRequest } from 'fastify'
import { type FailureReason, isFailureReason } from '../../events/failure-reasons.ts'
import type { FailureEndpoint } from '../../events/integration-log.ts'
import { malformedBody } from '../../platform/http/json-body.ts'
import { toRefusal } from '../../platform/http/refusals.ts'
import type { Refusal } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'

/** Every code with which the device endpoints refuse. */
export const reasonOfCode: Record<string, FailureReason> = {
  invalid: 'fields_invalid',
  malformed_json: 'body_not_json',
  unsupported_media_type: 'body_not_json',
  unsupported_content_encoding: 'body_compressed',
  too_large: 'message_too_large',
  mac_taken: 'identity_taken',
  sn_taken: 'identity_taken',
  invalid_access_key: 'access_key_wrong',
  device_removed: 'device_removed',
  device_moved: 'device_moved',
  overloaded: 'overloaded',
  storage_full: 'storage_full',
  unknown_outcome: 'unknown_outcome',
  unavailable: 'unavailable',
  clock_wrong: 'unavailable',
  internal: 'internal',
  // What the refusal itself does not say more exactly.
  invalid_hardware_key: 'hardware_key_wrong',
  already_registered: 'already_registered',
  not_found: 'device_unknown',
  too_many_requests: 'registrations_limited',
}

/** Where a report or a poll of commands means something else. */
const reasonOfCommandCode: Record<string, FailureReason> = {
  invalid: 'report_invalid',
  not_found: 'report_refused',
  command_finished: 'report_refused',
  too_many_requests: 'command_calls_limited',
}

/** The same for settings. */
const reasonOfConfigCode: Record<string, FailureReason> = {
  invalid: 'report_invalid',
  settings_changed: 'settings_refused',
  not_claimed: 'settings_refused',
  too_many_requests: 'settings_calls_limited',
}

const reasonsAt: Partial<Record<FailureEndpoint, Record<string, FailureReason>>> = {
  command: reasonOfCommandCode,
  config: reasonOfConfigCode,
}

function reasonOf(code: string): FailureReason {
  return reasonOfCode[code] ?? 'internal'
}

/** For the partner's integration log: why one of its models' devices could not register. */
export function recordRegistrationRefusal(
  context: Context,
  request: FastifyRequest,
  error: FastifyError | Refusal,
): void {
  const { status, code, message, reason } = toRefusal(error, 'POST')
  const model = (request.body as { device_model?: unknown } | null | undefined)?.device_model ?? modelIn(request)
  if (typeof model !== 'string' || !isId(model)) return
  context.integrationLog.record({
    request_id: request.id,
    endpoint: 'registration',
    status,
    error: code,
    description: message,
    reason: isFailureReason(reason) ? reason : reasonOf(code),
    model_id: model,
  })
}

/** A missing comma is the error of a first day: the model can be read all the same. */
function modelIn(request: FastifyRequest): string | undefined {
  return /device_model["']?\s*[:=]\s*["']?([0-9a-f-]{36})/i.exec(malformedBody(request))?.[1]
}

/** A mass call that is refused as a whole, for the partner of the first device that it names: a cloud sends for its own. */
export function recordRefusedCall(
  context: Context,
  { id: request_id, body }: FastifyRequest,
  { status, code, error }: { status: number; code: string; error: string },
): void {
  const { devices } = (body ?? {}) as { devices?: unknown }
  const first: unknown = Array.isArray(devices) ? devices.find((entry) => typeof entry?.id === 'string') : undefined
  const device_id = (first as { id: string } | undefined)?.id ?? null
  recordRefusedMessage(context, { request_id, endpoint: 'mass_telemetry', device_id, status, code, error })
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
  if (device_id === null || !isId(device_id)) return
  const reason = reasonsAt[message.endpoint]?.[code] ?? (code === 'invalid' ? 'telemetry_invalid' : reasonOf(code))
  context.integrationLog.record({ ...about, error: code, description, reason, device_id })
}
