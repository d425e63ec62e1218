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
  /** The application that is turned down, where it is known: its partner finds the refusal in the integration log. */
  readonly clientId: string | undefined

  constructor(status: number, code: string, sentence: string, more: RefusalMore = {}) {
    super(sentence)
    this.status = status
    this.code = code
    this.details = more.details
    this.reason = more.reason
    this.clientId = more.clientId
  }
}

interface RefusalMore {
  details?: Detail[]
  reason?: string
  clientId?: string | undefined
}

export function notFound(what: string): Refusal {
  return new Refusal(404, 'not_found', `There is no such ${what}.`)
}

/** The spec's words (7.7): the body is exactly `{"error":"Not authorized"}`. */
export function notAuthorized(reason?: string, clientId?: string): Refusal {
  return new Refusal(401, 'not_authorized', 'Not authorized', { clientId, ...(reason === undefined ? {} : { reason }) })
}

/** A refusal names the first faults of a body, not thousands: its size must not grow with what was sent. */
export const maxDetails = 20
const maxFieldCharacters = 160

export function invalid(...faults: Detail[]): Refusal {
  const details = faults.slice(0, maxDetails).map(({ field, message }) => ({ field: shortened(field), message }))
  const sentence = details.map(({ field, message }) => `${field} ${message}`).join('; ')
  return new Refusal(422, 'invalid', `${sentence}.`, { details })
}

export function conflict(code: string, sentence: string): Refusal {
  return new Refusal(409, code, sentence)
}

/** A name from outside, fit to be quoted in a reply. */
export function shortened(name: string): string {
  return name.length > maxFieldCharacters ? `${name.slice(0, maxFieldCharacters).toWellFormed()}…` : name.toWellFormed()
}
