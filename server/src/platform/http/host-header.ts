import type { FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'

/** A DNS name or an address, perhaps with a port; `user@host` and the like lead a parser of addresses elsewhere. */
const wellFormed = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i

/** RFC 9112 3.2: one Host header, and a valid one. Two would mean that a proxy and this service may read different ones. */
export function hostProblem(request: FastifyRequest): Refusal | null {
  const { headers, raw } = request
  const malformed = (sentence: string) => new Refusal(400, 'malformed_request', sentence)
  const count = countHosts(raw.rawHeaders)
  if (count !== 1) {
    if (count === 0 && raw.httpVersion !== '1.1') return null
    return malformed('HTTP/1.1 needs one Host header.')
  }
  // What a trusted proxy says takes its place, so it must be as well-formed.
  const isGood = wellFormed.test(headers.host!) && (!headers['x-forwarded-host'] || wellFormed.test(request.host))
  return isGood ? null : malformed('The Host header must be a host name or address, with or without a port.')
}

/** Node keeps only the first one in `headers`. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}
