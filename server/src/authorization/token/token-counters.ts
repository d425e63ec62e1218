import type { Registry } from 'prom-client'
import { type FailureReason, isFailureReason } from '../../events/failure-reasons.ts'
import { Counter } from '../../platform/measurements.ts'

type GrantType = 'authorization_code' | 'refresh_token'

/** Responses of this process's token endpoint since it started. */
export class TokenCounters {
  readonly #issued: Counter<GrantType>
  readonly #refused: Counter<FailureReason | 'server_error' | 'other'>

  constructor(registry: Registry) {
    const issued = 'Successful responses of the token endpoint, each with an access and a refresh token.'
    this.#issued = new Counter(registry, 'landbridge_tokens_issued_total', issued, ['grant_type'])
    const refused = 'Refused requests to the token endpoint, by the private reason of the integration log.'
    this.#refused = new Counter(registry, 'landbridge_tokens_refused_total', refused, ['reason'])
    for (const grantType of ['authorization_code', 'refresh_token'] as const) this.#issued.start(grantType)
    for (const reason of ['signing_unavailable', 'refresh_replayed', 'server_error', 'other'] as const) {
      this.#refused.start(reason)
    }
  }

  countIssued(grantType: GrantType, responses = 1): void {
    this.#issued.increment(grantType, undefined, responses)
  }

  countRefused(status: number, reason: string | undefined): void {
    const other = status >= 500 ? 'server_error' : 'other'
    this.#refused.increment(isFailureReason(reason) ? reason : other)
  }
}
