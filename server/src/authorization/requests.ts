import type { Context } from '../context.ts'
import type { Sql } from '../platform/database/sql.ts'
import { isId } from '../platform/secrets/identifiers.ts'
import { digest, isWellFormed, mintSecret } from '../platform/secrets/secrets.ts'
import type { AuthorizationRequest, Prompt } from './authorization-request.ts'
import * as store from './store/authorization-requests.ts'

export type { Asking } from './store/authorization-requests.ts'

/** A quarter of an hour to sign in, find out which organization, and decide. */
const lifetimeMilliseconds = 15 * 60_000

export interface PendingRequest extends store.StoredRequest {
  prompt: Prompt[]
}

export async function findAsking(context: Context, clientId: string | undefined): Promise<store.Asking | undefined> {
  return clientId && isId(clientId) ? await store.findAsking(context.sql, clientId) : undefined
}

/** Not in the spec: what one address may leave behind in the database in a minute, far above what people do. */
export const authorizationRequestsPerAddress = 600

/** Keeps the request for the portal domain to pick up; only its secret travels there. */
export async function keepRequest(context: Context, request: AuthorizationRequest): Promise<string> {
  const secret = mintSecret('authorization_request')
  const at = context.now()
  await store.insertRequest(context.sql, {
    ...request,
    digest: digest(secret),
    state: encodeURIComponent(request.state),
    created_at: at,
    expires_at: new Date(at.getTime() + lifetimeMilliseconds),
  })
  return secret
}

export async function findRequest(context: Context, secret: string | undefined): Promise<PendingRequest | null> {
  if (!secret || !isWellFormed('authorization_request', secret)) return null
  return opened(await store.findRequest(context.sql, digest(secret)))
}

export async function lockRequest(sql: Sql, requestDigest: Buffer): Promise<PendingRequest | null> {
  return opened(await store.lockRequest(sql, requestDigest))
}

function opened(row: store.StoredRequest | undefined): PendingRequest | null {
  return row ? { ...row, prompt: row.prompt as Prompt[], state: decodeURIComponent(row.state) } : null
}

/** Why a request can no longer be answered, or null while it can. */
export type RequestFault = 'expired' | 'answered' | 'disabled' | 'redirect_uri_gone'

export function faultOfRequest(request: PendingRequest, now: Date): RequestFault | null {
  if (request.answered_at) return 'answered'
  if (request.expires_at <= now) return 'expired'
  if (!request.enabled) return 'disabled'
  if (!request.redirect_uris.includes(request.redirect_uri)) return 'redirect_uri_gone'
  return null
}
