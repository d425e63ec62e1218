import type { FastifyRequest } from 'fastify'
import { parseJson } from '../bounded-json.ts'
import { Refusal } from '../refusal.ts'
import type { App } from './app.ts'

/** Of requests whose body is no JSON: the partner's log may still find out whose they are. */
const malformed = new WeakMap<FastifyRequest, string>()

export function malformedBody(request: FastifyRequest): string {
  return malformed.get(request) ?? ''
}

/**
 * In this scope a body must be JSON. `prototypes: 'refused'` refuses members named `__proto__` and
 * `constructor.prototype`; a scope that never copies members into other objects may keep them.
 */
export function acceptJsonOnly(app: App, { prototypes }: { prototypes: 'refused' | 'kept' }): void {
  const stock = app.getDefaultJsonParser('error', 'error')
  const withoutPrototypes = (request: FastifyRequest) => (text: string) => {
    let parsed: unknown
    void stock(request, text, (error, value) => {
      if (error) throw error
      parsed = value
    })
    return parsed
  }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request: FastifyRequest, body, done) => {
    try {
      requirePlainBody(request)
      done(null, parseJson(body as string, prototypes === 'kept' ? JSON.parse : withoutPrototypes(request)))
    } catch (error) {
      malformed.set(request, body as string)
      done(error as Refusal)
    }
  })
}

/** RFC 9110, 15.5.16: a compressed body is refused as such, not as malformed content. */
export function requirePlainBody(
  { headers }: FastifyRequest,
  { status, code }: { status: number; code: string } = { status: 415, code: 'unsupported_content_encoding' },
): void {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return
  throw new Refusal(status, code, 'Compressed bodies are not supported. Send the body without Content-Encoding.')
}
