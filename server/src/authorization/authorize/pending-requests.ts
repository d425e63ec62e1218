import type { Context } from '../../context.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import { digest, isWellFormed, mintSecret, sameDigest } from '../../platform/secrets/secrets.ts'
import * as store from '../store/authorization-requests.ts'
import type { AuthorizationRequest, Prompt } from './authorization-request.ts'
import type { HintedPerson } from './id-token-hint.ts'

export type { RequestingApplication } from '../store/authorization-requests.ts'

/** A quarter of an hour to sign in, find out which organization, and decide. */
const lifetimeMilliseconds = 15 * 60_000

export interface PendingRequest extends store.StoredRequest {
  prompt: Prompt[]
}

export async function findRequestingApplication(
  context: Context,
  clientId: string | undefined,
): Promise<store.RequestingApplication | undefined> {
  return clientId && isId(clientId) ? await store.findRequestingApplication(context.sql, clientId) : undefined
}

/** Not in the spec: what one address may leave behind in the database in a minute, far above what people do. */
export const authorizationRequestsPerAddress = 600

/** Keeps the request for the portal domain to pick up; only its secret travels there. */
export async function keepRequest(
  context: Context,
  { id_token_hint: _, ...request }: AuthorizationRequest,
  hinted: HintedPerson | null,
): Promise<string> {
  const secret = mintSecret('authorization_request')
  const at = context.now()
  await store.insertRequest(context.sql, {
    ...request,
    digest: digest(secret),
    state: encodeURIComponent(request.state),
    login_hint: hinted?.email ?? request.login_hint,
    hinted_user_id: hinted?.user_id ?? null,
    created_at: at,
    expires_at: new Date(at.getTime() + lifetimeMilliseconds),
  })
  return secret
}

export async function findRequest(context: Context, secret: string | undefined): Promise<PendingRequest | null> {
  if (!secret || !isWellFormed('authorization_request', secret)) return null
  return opened(await store.findRequest(context.sql, digest(secret)))
}

/** Whether this is the session that was asked: no other may answer, nor repeat the answer. */
export function isAskedIn({ session_digest }: PendingRequest, session: { digest: Buffer } | null): boolean {
  if (!session || !session_digest) return !session && !session_digest
  return sameDigest(session_digest, session.digest)
}

export async function lockRequest(sql: Sql, requestDigest: Buffer): Promise<PendingRequest | null> {
  return opened(await store.lockRequest(sql, requestDigest))
}

function opened(row: store.StoredRequest | undefined): PendingRequest | null {
  return row ? { ...row, prompt: row.prompt as Prompt[], state: decodeURIComponent(row.state) } : null
}

/** Far above what a person clicks: repeating an answer must not become a source of codes and audit events. */
export const maxAnswers = 10

/** Why a request can no longer be answered, or null while it can. Who may repeat an answer is for `isAskedIn`. */
export type RequestFault = 'expired' | 'answered' | 'disabled' | 'redirect_uri_gone'

export function faultOfRequest(request: PendingRequest, now: Date): RequestFault | null {
  if (request.answers >= maxAnswers) return 'answered'
  if (request.expires_at <= now) return request.answered_at ? 'answered' : 'expired'
  if (!request.enabled) return 'disabled'
  if (!request.redirect_uris.includes(request.redirect_uri)) return 'redirect_uri_gone'
  return null
}
