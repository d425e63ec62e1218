import type { FastifyReply } from 'fastify'

const texts = new WeakMap<object, Buffer>()

/**
 * The JSON of a payload that several callers share (`coalesceSame`), written once for all of them. Returned as the
 * payload's own type, which the route's schema requires.
 */
export function sharedText<Payload extends object>(
  reply: Pick<FastifyReply, 'header' | 'serializeInput'>,
  payload: Payload,
): Payload {
  let text = texts.get(payload)
  if (text === undefined) {
    text = Buffer.from(String(reply.serializeInput(payload as Record<string, unknown>, '200')))
    texts.set(payload, text)
  }
  reply.header('content-type', 'application/json; charset=utf-8')
  return text as unknown as Payload
}
