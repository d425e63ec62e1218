import type { FailureReason } from '../../events/failure-reasons.ts'
import { Refusal } from '../../platform/refusal.ts'

/** The words of RFC 6749 section 5.2 that the spec's 7.3 and 7.4 use, and their statuses. */
const statuses = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  invalid_scope: 400,
  unsupported_grant_type: 400,
  server_error: 500,
} as const

/** A refusal of the OAuth endpoints. The client reads `code` and the sentence; its partner also reads the private reason. */
export class OAuthRefusal extends Refusal {
  declare readonly reason: FailureReason

  constructor(code: keyof typeof statuses, sentence: string, reason: FailureReason, clientId?: string) {
    super(statuses[code], code, sentence, { reason, clientId })
  }
}

export function parameterMissing(name: string, clientId?: string): OAuthRefusal {
  return new OAuthRefusal('invalid_request', `The parameter ${name} is missing.`, 'parameter_missing', clientId)
}

export function parameterRepeated(name: string, clientId?: string): OAuthRefusal {
  const sentence = `The parameter ${name} must be sent once.`
  return new OAuthRefusal('invalid_request', sentence, 'parameter_repeated', clientId)
}

/** 7.3–7.6: the body is exactly `{"error":"Too many requests"}`, and there is no Retry-After. */
export class TooManyRequests extends Refusal {
  constructor(clientId?: string) {
    super(429, 'Too many requests', 'Too many requests', { reason: 'rate_limited', clientId })
  }
}
