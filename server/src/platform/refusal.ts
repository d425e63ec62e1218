export interface Detail {
  field: string
  message: string
}

/**
 * A request that is turned down: a status, a machine word and a sentence for the caller. `reason` is the private why,
 * for the log only. Each surface has one writer that knows its form.
 */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly details: Detail[] | undefined
  readonly reason: string | undefined

  constructor(status: number, code: string, sentence: string, more: { details?: Detail[]; reason?: string } = {}) {
    super(sentence)
    this.status = status
    this.code = code
    this.details = more.details
    this.reason = more.reason
  }
}

export function notFound(what: string): Refusal {
  return new Refusal(404, 'not_found', `There is no such ${what}.`)
}

/** The spec's words (7.7): the body is exactly `{"error":"Not authorized"}`. */
export function notAuthorized(reason?: string): Refusal {
  return new Refusal(401, 'not_authorized', 'Not authorized', reason === undefined ? {} : { reason })
}

export function invalid(...details: Detail[]): Refusal {
  const sentence = details.map(({ field, message }) => `${field} ${message}`).join('; ')
  return new Refusal(422, 'invalid', `${sentence}.`, { details })
}

export function conflict(code: string, sentence: string): Refusal {
  return new Refusal(409, code, sentence)
}
