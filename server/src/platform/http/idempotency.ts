import { createHash, randomInt } from 'node:crypto'
import type { FastifyReply, FastifyRequest, onSendAsyncHookHandler, preHandlerHookHandler, RouteOptions } from 'fastify'
import { type TProperties, Type } from 'typebox'
import { beforeCommit } from '../database/database.ts'
import type { Pool } from '../database/sql.ts'
import type { SharedJob } from '../jobs.ts'
import { storedFor } from '../own-limits.ts'
import { conflict, invalid, Refusal } from '../refusal.ts'
import type { MasterKey } from '../secrets/master-key.ts'
import type { App } from './app.ts'
import { addRefusals } from './document-refusals.ts'
import * as store from './idempotency-store.ts'
import { bodyOf } from './refusals.ts'

/** No call takes this long: one that reserved its key earlier and did nothing has died with its process. */
const deadAfterMilliseconds = 60_000
const batch = 1_000
const purpose = 'idempotency'

interface ContextOptions {
  sql: Pool
  now: () => Date
  masterKey: MasterKey
}

interface Reservation {
  digest: Buffer
  attempt: number
}

interface SavedResponse {
  status: number
  content_type: string | null
  payload: string
}

const IdempotencyKey = Type.Optional(
  Type.String({
    description:
      'Any text of up to 255 characters that names this call. For a day, repeating the call with the same key returns ' +
      'the same response, and nothing is created twice.',
  }),
)

/**
 * `Idempotency-Key` on every POST of the scope. The key is reserved before the call, the transaction of the call marks
 * it as executed, and the response is stored before it is sent. So a process may die at any point: the call is executed
 * at most once, and never reported as executed when it was not. `callerOf` separates the keys of different callers.
 */
export function acceptIdempotencyKeys(
  app: App,
  context: ContextOptions,
  callerOf: (request: FastifyRequest) => string,
): void {
  app.decorateRequest('reservation', null)

  // Only on POST, so that reads do not pay for the hooks.
  app.addHook('onRoute', (route) => {
    if (route.method !== 'POST') return
    if (route.schema) documentKey(route)
    route.preHandler = [...[route.preHandler ?? []].flat(), reserveKey]
    route.onSend = [...[route.onSend ?? []].flat(), storeResponse]
  })

  // With `done` rather than a promise: what follows must run inside `beforeCommit`.
  const reserveKey: preHandlerHookHandler = (request, reply, done) => {
    const key = request.headers['idempotency-key']
    if (key === undefined) return done()
    reserve(context, request, callerOf(request), String(key)).then((outcome) => {
      if ('payload' in outcome) return replay(reply, outcome)
      request.setDecorator('reservation', outcome)
      beforeCommit.run(async (tx) => {
        if (!(await store.markCarriedOut(tx, outcome.digest, outcome.attempt))) throw inUse()
      }, done)
    }, done)
  }

  const storeResponse: onSendAsyncHookHandler = async (request, reply, payload) => {
    const reservation = request.getDecorator<Reservation | null>('reservation')
    if (!reservation) return payload
    const { digest, attempt } = reservation
    const content_type = reply.getHeader('content-type')?.toString() ?? null
    // An export changes nothing, and may be large: megabytes per call would stay for a day.
    const leavesNothing = reply.statusCode >= 400 || content_type?.startsWith('text/csv')
    if (leavesNothing && (await store.releaseCall(context.sql, digest, attempt))) return payload
    // Executed, although this caller is told that nobody knows: the next one is told that it was.
    const lost = reply.statusCode === 503 ? responseLost() : null
    const text = lost ? JSON.stringify(bodyOf(lost)) : typeof payload === 'string' ? payload : ''
    await store.storeResponse(context.sql, digest, attempt, {
      status: lost?.status ?? reply.statusCode,
      content_type,
      response: context.masterKey.seal(purpose, text),
    })
    return payload
  }
}

export function deleteOldIdempotencyKeysJob({ sql, now }: ContextOptions): SharedJob {
  return {
    name: 'old idempotency keys',
    everySeconds: 60,
    async runShared() {
      const age = { now: now(), milliseconds: storedFor.idempotentResponseMilliseconds }
      while ((await store.deleteOldKeys(sql, age, batch)) === batch);
    },
  }
}

async function reserve(
  { sql, now, masterKey }: ContextOptions,
  { method, url, body }: FastifyRequest,
  caller: string,
  key: string,
): Promise<Reservation | SavedResponse> {
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw invalid({ field: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters' })
  }
  const at = now()
  const digest = sha256(JSON.stringify([caller, method, url, key]))
  // Keyed, since a body may hold a password.
  const bodyDigest = masterKey.keyedDigest(purpose, JSON.stringify(body ?? null))
  const attempt = randomInt(2 ** 31)
  const reserved = await store.reserveCall(sql, {
    digest,
    bodyDigest,
    attempt,
    at,
    deadBefore: new Date(at.getTime() - deadAfterMilliseconds),
    expiredBefore: new Date(at.getTime() - storedFor.idempotentResponseMilliseconds),
  })
  if (reserved) return { digest, attempt }
  const stored = await store.findStoredResponse(sql, digest)
  // Deleted meanwhile: the other attempt was refused just now, and the caller's next one will succeed.
  if (!stored) throw inUse()
  // Before the digests are compared: under another master key the same body has another digest too.
  const response = stored.response && openResponse(masterKey, stored)
  if (!stored.body_digest.equals(bodyDigest)) {
    const sentence = 'This Idempotency-Key was used with another body. Use a new key for every call.'
    throw new Refusal(422, 'idempotency_key_reused', sentence)
  }
  if (response) return response
  if (stored.carried_out && at.getTime() - stored.reserved_at.getTime() > deadAfterMilliseconds) throw responseLost()
  throw inUse()
}

/** A response that was sealed with another master key is lost. */
function openResponse(masterKey: MasterKey, { status, content_type, response }: store.StoredResponse): SavedResponse {
  try {
    return { status: status!, content_type, payload: masterKey.open(purpose, response!) }
  } catch {
    throw responseLost()
  }
}

function replay(reply: FastifyReply, { status, content_type, payload }: SavedResponse): void {
  if (content_type) reply.header('content-type', content_type)
  void reply
    .code(status)
    .header('idempotency-replayed', 'true')
    .send(payload || undefined)
}

function documentKey(route: RouteOptions): void {
  const headers = (route.schema?.headers ?? Type.Object({})) as { properties: TProperties }
  route.schema = {
    ...route.schema,
    headers: Type.Object({ ...headers.properties, 'idempotency-key': IdempotencyKey }),
  }
  addRefusals(route, {
    409: ['idempotency_key_in_use', 'idempotent_answer_lost'],
    422: ['invalid', 'idempotency_key_reused'],
  })
}

const inUse = () =>
  conflict('idempotency_key_in_use', 'A call with this Idempotency-Key is in progress. Try again in a moment.')

const responseLost = () =>
  conflict(
    'idempotent_answer_lost',
    'The first call with this Idempotency-Key was executed, but its response was lost. Check the result before you try ' +
      'with another key.',
  )

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
