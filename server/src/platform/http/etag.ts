import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { Refusal } from '../refusal.ts'
import type { App } from './app.ts'

/** For the `headers` of a route where two people may change the same thing at once. */
export const IfMatch = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      description:
        'The ETag of the version that this change is based on. If it has changed since: 412 `changed_meanwhile`.',
    }),
  ),
})

/** A digest of the response: it needs no version column, and changes exactly when the response does. */
export function etagOf(representation: object): string {
  return `"${createHash('sha256').update(JSON.stringify(representation)).digest('base64url').slice(0, 22)}"`
}

/** Call it with the row locked, or two changes may pass with the same ETag. */
export function requireMatch(ifMatch: string | undefined, current: object): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const etags = ifMatch.split(',').map((etag) => etag.trim())
  if (etags.includes(etagOf(current))) return
  throw new Refusal(
    412,
    'changed_meanwhile',
    'Someone else has changed this since you read it. Read it again before you change it.',
  )
}

/** Adds an ETag to every response with a single object; a route may set its own. Lists have none. */
export function sendEtags(app: App): void {
  app.addHook('preSerialization', async (request, reply, payload: unknown) => {
    const isRead = ['GET', 'PATCH', 'PUT'].includes(request.method) && reply.statusCode === 200
    if (isRead && isSingle(payload) && !reply.hasHeader('etag')) reply.header('etag', etagOf(payload))
    return payload
  })
}

function isSingle(payload: unknown): payload is object {
  return typeof payload === 'object' && payload !== null && !('items' in payload)
}
