import type { FastifyReply } from 'fastify'

const texts = new WeakMap<object, Buffer>()

/**
 * The answer to what several callers were given together (`coalesceSame`): it is written as JSON once for all of them.
 * Returns it as the payload's own type, which is what the route's schema promises.
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
