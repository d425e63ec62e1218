import { createHash, randomInt } from 'node:crypto'
import type { FastifyReply, FastifyRequest, onSendAsyncHookHandler, preHandlerHookHandler, RouteOptions } from 'fastify'
import { type TProperties, Type } from 'typebox'
import { beforeCommit } from '../database/database.ts'
import type { Pool } from '../database/sql.ts'
import type { SharedJob } from '../jobs.ts'
import { conflict, invalid, Refusal } from '../refusal.ts'
import type { MasterKey } from '../secrets/master-key.ts'
import { addRefusals } from './document-refusals.ts'
import * as store from './idempotency-store.ts'
import type { App } from './server.ts'

/** How long an answer is kept. */
const keptMilliseconds = 86_400_000
/** No call takes that long: one that reserved its key before and carried nothing out has died with its process. */
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

interface Answer {
  status: number
  content_type: string | null
  payload: string
}

const IdempotencyKey = Type.Optional(
  Type.String({
    description:
      'Any text of up to 255 characters that names this call. For a day, the same call with the same key gets the same ' +
      'answer, and nothing is made twice.',
  }),
)

/**
 * `Idempotency-Key` on every POST of the scope. The key is reserved before the call, the transaction of the act itself
 * marks it as carried out, and the answer is kept before it is sent. So a process may die at any point: the act happens
 * once at most, and a caller is never told that it did when it did not. `callerOf` keeps callers apart.
 */
export function keepAnswers(app: App, context: ContextOptions, callerOf: (request: FastifyRequest) => string): void {
  app.decorateRequest('reservation', null)

  // Only where something is made: every read would pay for the hooks.
  app.addHook('onRoute', (route) => {
    if (route.method !== 'POST') return
    if (route.schema) documentKey(route)
    route.preHandler = [...[route.preHandler ?? []].flat(), reserveKey]
    route.onSend = [...[route.onSend ?? []].flat(), keepAnswer]
  })

  // A callback, not a promise: what follows must run inside `beforeCommit`.
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

  const keepAnswer: onSendAsyncHookHandler = async (request, reply, payload) => {
    const reservation = request.getDecorator<Reservation | null>('reservation')
    if (!reservation) return payload
    const { digest, attempt } = reservation
    const refused = reply.statusCode >= 400
    if (refused && (await store.releaseCall(context.sql, digest, attempt))) return payload
    await store.keepAnswer(context.sql, digest, attempt, {
      status: reply.statusCode,
      content_type: reply.getHeader('content-type')?.toString() ?? null,
      answer: context.masterKey.seal(purpose, typeof payload === 'string' ? payload : ''),
    })
    return payload
  }
}

/** For the list of background jobs. */
export function deleteOldIdempotencyKeysJob({ sql, now }: ContextOptions): SharedJob {
  return {
    name: 'old idempotency keys',
    everySeconds: 60,
    async runShared() {
      const age = { now: now(), milliseconds: keptMilliseconds }
      while ((await store.deleteKeptAnswers(sql, age, batch)) === batch);
    },
  }
}

async function reserve(
  { sql, now, masterKey }: ContextOptions,
  { method, url, body }: FastifyRequest,
  caller: string,
  key: string,
): Promise<Reservation | Answer> {
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw invalid({ field: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters' })
  }
  const at = now()
  const digest = sha256(JSON.stringify([caller, method, url, key]))
  // A body may hold a password.
  const bodyDigest = masterKey.keyedDigest(purpose, JSON.stringify(body ?? null))
  const attempt = randomInt(2 ** 31)
  const reserved = await store.reserveCall(sql, {
    digest,
    bodyDigest,
    attempt,
    at,
    deadBefore: new Date(at.getTime() - deadAfterMilliseconds),
    forgottenBefore: new Date(at.getTime() - keptMilliseconds),
  })
  if (reserved) return { digest, attempt }
  const kept = await store.findKeptAnswer(sql, digest)
  // Gone since: the other one was refused this very moment. The caller's next try goes through.
  if (!kept) throw inUse()
  // First: under another master key the same body has another digest too.
  const answer = kept.answer && openAnswer(masterKey, kept)
  if (!kept.body_digest.equals(bodyDigest)) {
    const sentence = 'This Idempotency-Key was used with another body. Give every call a key of its own.'
    throw new Refusal(422, 'idempotency_key_reused', sentence)
  }
  if (answer) return answer
  if (kept.carried_out && at.getTime() - kept.reserved_at.getTime() > deadAfterMilliseconds) throw answerLost()
  throw inUse()
}

/** An answer that was sealed with another master key is lost. */
function openAnswer(masterKey: MasterKey, { status, content_type, answer }: store.KeptAnswer): Answer {
  try {
    return { status: status!, content_type, payload: masterKey.open(purpose, answer!) }
  } catch {
    throw answerLost()
  }
}

function replay(reply: FastifyReply, { status, content_type, payload }: Answer): void {
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
  conflict('idempotency_key_in_use', 'A call with this Idempotency-Key is under way. Try again in a moment.')

const answerLost = () =>
  conflict(
    'idempotent_answer_lost',
    'The first call with this Idempotency-Key was carried out, but its answer was lost. Look at what is there before ' +
      'trying with another key.',
  )

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
