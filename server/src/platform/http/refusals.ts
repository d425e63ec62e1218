import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { malformedJson } from '../bounded-json.ts'
import { isUnreachable, mayHaveCommitted } from '../database/database.ts'
import { invalid, notFound, Refusal } from '../refusal.ts'
import { detailsOf } from './validation.ts'

export interface RefusalBody {
  error: string
  code?: string
  details?: { field: string; message: string }[]
  missing?: string
}

/** The writer of every JSON surface but OAuth's: `{error, code, details?}`. */
export function writeRefusal(error: FastifyError | Refusal, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = toRefusal(error, request.method)
  if (refusal.status >= 500) request.log.error({ err: error }, 'failed')
  else if (!refusal.repeated) request.log.info({ code: refusal.code, reason: refusal.reason }, 'refused')
  if (refusal.code === 'unsupported_content_encoding') reply.header('accept-encoding', 'identity')
  const retryAfter = refusal.retryAfter ?? (refusal.status === 503 ? 2 : undefined)
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
  // A stream that fails before its first byte has set them already, for what it would have sent.
  for (const name of ['content-type', 'content-disposition']) {
    reply.removeHeader(name)
    if (!reply.raw.headersSent) reply.raw.removeHeader(name)
  }
  void reply.code(refusal.status).send(bodyOf(refusal))
}

export function bodyOf(refusal: Refusal): RefusalBody {
  // Contract 7.7 fixes this body to the byte, without a code.
  if (refusal.code === 'not_authorized') return { error: refusal.message }
  const { details, missing } = refusal
  const body: RefusalBody = { error: refusal.message, code: refusal.code }
  return { ...body, ...(details ? { details } : {}), ...(missing ? { missing } : {}) }
}

/** Requests that change nothing. */
export const readOnly = new Set(['GET', 'HEAD'])

/** Fastify's own errors as refusals of ours; anything unexpected is a 500 without details. */
export function toRefusal(error: FastifyError | Refusal, method: string): Refusal {
  if (error instanceof Refusal) return error
  if (error.validation && error.validationContext === 'params') return notFound('item')
  if (error.validation) return invalid(...detailsOf(error.validation))
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal(413, 'too_large', 'The body is too large.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Refusal(415, 'unsupported_media_type', 'The body must be sent with Content-Type: application/json.')
    // Postgres cannot store U+0000 in text (22021) or in JSON (22P05).
    case '22021':
    case '22P05':
      return new Refusal(422, 'invalid', 'Text must not contain the character U+0000.')
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return malformedJson()
  }
  if (error.statusCode && error.statusCode < 500) return new Refusal(error.statusCode, 'refused', error.message)
  // Decision 7.60.
  if (mayHaveCommitted(error) && !readOnly.has(method)) {
    const sentence = 'The database was lost before it confirmed, so nobody knows whether the change was made.'
    return new Refusal(503, 'unknown_outcome', sentence)
  }
  if (isUnreachable(error)) {
    return new Refusal(503, 'unavailable', 'The database cannot be reached. Try again shortly.')
  }
  return new Refusal(500, 'internal', 'Something went wrong on our side. Give the request id to the operator.')
}
