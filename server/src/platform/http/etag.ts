import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { Refusal } from '../refusal.ts'
import type { App } from './server.ts'

/** For the `headers` of a route whose change two people may make at once. */
export const IfMatch = Type.Object({
  'if-match': Type.Optional(
    Type.String({ description: 'The ETag this change was made from. Changed meanwhile: 412 `changed_meanwhile`.' }),
  ),
})

/** A digest of what the caller was shown: it needs no version column, and changes exactly when the answer does. */
export function etagOf(representation: object): string {
  return `"${createHash('sha256').update(JSON.stringify(representation)).digest('base64url').slice(0, 22)}"`
}

/** Ask it under the lock of the thing that is about to change, or two changes may pass on the same ETag. */
export function requireMatch(ifMatch: string | undefined, current: object): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const etags = ifMatch.split(',').map((etag) => etag.trim())
  if (etags.includes(etagOf(current))) return
  throw new Refusal(
    412,
    'changed_meanwhile',
    'Someone else has changed this since you read it. Read it again and decide anew.',
  )
}

/** Gives the answer of every single thing its ETag; a list has none. A route that shows more than the thing sets its own. */
export function showEtags(app: App): void {
  app.addHook('preSerialization', async (request, reply, payload: unknown) => {
    const shown = ['GET', 'PATCH', 'PUT'].includes(request.method) && reply.statusCode === 200
    if (shown && isThing(payload) && !reply.hasHeader('etag')) reply.header('etag', etagOf(payload))
    return payload
  })
}

function isThing(payload: unknown): payload is object {
  return typeof payload === 'object' && payload !== null && !('items' in payload)
}
