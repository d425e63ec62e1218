import { requestLimits } from './own-limits.ts'

export interface Detail {
  field: string
  message: string
}

/**
 * A refused request: a status, a code and a sentence for the caller. `reason` is for the log only. Each surface has one
 * writer that knows its form.
 */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly details: Detail[] | undefined
  /** The permission that the caller lacks. */
  readonly missing: string | undefined
  readonly reason: string | undefined
  /** The refused application, where it is known, for the log of its partner. */
  readonly clientId: string | undefined
  /** Seconds after which the same request may succeed. */
  readonly retryAfter: number | undefined
  /** One of many that are alike: only the first is worth an entry in a log. */
  readonly repeated: boolean

  constructor(status: number, code: string, sentence: string, more: RefusalMore = {}) {
    super(sentence)
    this.status = status
    this.code = code
    this.details = more.details
    this.missing = more.missing
    this.reason = more.reason
    this.clientId = more.clientId
    this.retryAfter = more.retryAfter
    this.repeated = more.repeated ?? false
  }
}

interface RefusalMore {
  details?: Detail[]
  missing?: string
  reason?: string
  clientId?: string | undefined
  retryAfter?: number
  repeated?: boolean
}

/** `device` → `Device not found.` */
export function notFound(what: string): Refusal {
  return new Refusal(404, 'not_found', `${what.charAt(0).toUpperCase()}${what.slice(1)} not found.`)
}

/** The row itself; a 404 when there is none. */
export function found<Row>(row: Row | undefined, what: string): Row {
  if (row === undefined) throw notFound(what)
  return row
}

/** Contract 7.7: the body is exactly `{"error":"Not authorized"}`. */
export function notAuthorized(reason?: string, clientId?: string): Refusal {
  return new Refusal(401, 'not_authorized', 'Not authorized', { clientId, ...(reason === undefined ? {} : { reason }) })
}

const maxFieldCharacters = 160

export function invalid(...problems: Detail[]): Refusal {
  const details = problems
    .slice(0, requestLimits.namedProblems)
    .map(({ field, message }) => ({ field: shortened(field), message }))
  const sentence = details.map(({ field, message }) => `${field} ${message}`).join('; ')
  return new Refusal(422, 'invalid', `${sentence}.`, { details })
}

export function conflict(code: string, sentence: string): Refusal {
  return new Refusal(409, code, sentence)
}

/** A caller's name for a field, short and well-formed enough to be quoted. */
export function shortened(name: string): string {
  return name.length > maxFieldCharacters ? `${name.slice(0, maxFieldCharacters).toWellFormed()}…` : name.toWellFormed()
}
