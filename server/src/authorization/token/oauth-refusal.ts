import type { Context } from '../../events/context.ts'
import { type FailureReason, isFailureReason } from '../../events/failure-reasons.ts'
import type { FailureEndpoint } from '../../events/integration-log.ts'
import type { Parameters } from '../../platform/http/form.ts'
import { Refusal } from '../../platform/refusal.ts'

/** The errors of RFC 6749 section 5.2 that contract 7.3 and 7.4 use, with their statuses. */
const statuses = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  invalid_scope: 400,
  unsupported_grant_type: 400,
  server_error: 500,
} as const

type OAuthErrorCode = keyof typeof statuses

/** A refusal of the OAuth endpoints. The client gets `code` and the sentence; only its partner sees the reason. */
export class OAuthRefusal extends Refusal {
  declare readonly code: OAuthErrorCode
  declare readonly reason: FailureReason

  constructor(code: OAuthErrorCode, sentence: string, reason: FailureReason, clientId?: string) {
    super(statuses[code], code, sentence, { reason, clientId })
  }

  /** The same refusal once the client is known, so that its partner finds it in the integration log. */
  of(clientId: string): OAuthRefusal {
    return new OAuthRefusal(this.code, this.message, this.reason, clientId)
  }
}

/** The value of a parameter that must be sent exactly once. */
export function required(form: Parameters, name: string): string {
  refuseRepeated(form, name)
  const value = form.get(name)
  if (!value) throw new OAuthRefusal('invalid_request', `The parameter ${name} is missing.`, 'parameter_missing')
  return value
}

/** A parameter sent twice is refused: parameter pollution exploits that programs choose different values (decision 6.1). */
export function refuseRepeated(form: Parameters, ...names: string[]): void {
  const name = form.repeated(...names)
  if (!name) return
  throw new OAuthRefusal('invalid_request', `The parameter ${name} must be sent only once.`, 'parameter_repeated')
}

/** Contract 7.3–7.6: the body is exactly `{"error":"Too many requests"}`, and there is no Retry-After. */
export class TooManyRequests extends Refusal {
  constructor(clientId?: string) {
    super(429, 'Too many requests', 'Too many requests', { reason: 'rate_limited', clientId })
  }
}

/** For the partner's integration log. A refusal without a known application has no partner to read it. */
export function recordRefusal(
  context: Context,
  { id: request_id }: { id: string },
  endpoint: FailureEndpoint,
  { status, code, reason: own, message, clientId }: Refusal,
  error: string,
  claimedId?: string,
): void {
  // What the service itself failed at has its code as its reason.
  const reason = own ?? code
  const application_id = clientId ?? claimedId
  if (application_id === undefined || !isFailureReason(reason)) return
  context.integrationLog.record({
    request_id,
    endpoint,
    status,
    error,
    description: message,
    reason,
    application_id,
  })
}
