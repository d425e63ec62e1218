import type { Context } from '../../context.ts'
import { isFailureReason } from '../../events/failure-reasons.ts'
import type { FailureEndpoint } from '../../events/integration-log.ts'
import type { Refusal } from '../../platform/refusal.ts'

/** For the partner's integration log: why its application was turned down. Who is not known is nobody's to explain. */
export function noteRefusedApplication(
  context: Context,
  { id: request_id }: { id: string },
  endpoint: FailureEndpoint,
  { status, reason, message, clientId }: Refusal,
  error: string,
): void {
  if (clientId === undefined || !isFailureReason(reason)) return
  context.integrationLog.record({
    request_id,
    endpoint,
    status,
    error,
    description: message,
    reason,
    application_id: clientId,
  })
}
