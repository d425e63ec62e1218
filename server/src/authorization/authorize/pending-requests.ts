import { brandOf } from '../../directory/partners/branding.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { lifetimes, ownLimits } from '../../platform/own-limits.ts'
import type { Brand } from '../../platform/pages/page.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import { digest, isWellFormed, mintSecret, sameDigest } from '../../platform/secrets/secrets.ts'
import type { Context } from '../context.ts'
import * as store from '../store/authorization-requests.ts'
import { type Acr, knownAcrs } from './acr.ts'
import type { AuthorizationRequest, Prompt } from './authorization-request.ts'
import type { HintedPerson } from './id-token-hint.ts'
import { isRegistered } from './redirect-uri.ts'

// For the routes, which import from their own area only.
export { proofPage } from '../../directory/accounts/proof.ts'
export { presentedSession, readSession, type Session } from '../../directory/accounts/sessions.ts'
export { brandOfHost } from '../../directory/partners/branding.ts'
export type { RequestingApplication } from '../store/authorization-requests.ts'

export interface PendingRequest extends store.StoredRequest {
  prompt: Prompt[]
  acr_values: Acr[]
}

export async function findRequestingApplication(
  context: Context,
  clientId: string | undefined,
): Promise<store.RequestingApplication | undefined> {
  return clientId && isId(clientId) ? await store.findRequestingApplication(context.sql, clientId) : undefined
}

/** Pages about an application have the brand of the partner that owns it. */
export function brandOfApplication(application: store.RequestingApplication): Brand {
  const { partner_id, partner_name, accent_color, has_logo } = application
  return brandOf({ id: partner_id, name: partner_name, accent_color, has_logo })
}

/** Stores the request for the consent screen on the portal domain and returns the secret that identifies it in the URL. */
export async function storeRequest(
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
    expires_at: new Date(at.getTime() + lifetimes.authorizationRequestMilliseconds),
  })
  return secret
}

export async function findRequest(context: Context, secret: string | undefined): Promise<PendingRequest | null> {
  if (!secret || !isWellFormed('authorization_request', secret)) return null
  return fromStored(await store.findRequest(context.sql, digest(secret)))
}

/** Whether the consent screen was shown in this session: no other may decide, nor repeat the decision. */
export function isBoundTo({ session_digest }: PendingRequest, session: { digest: Buffer } | null): boolean {
  if (!session || !session_digest) return !session && !session_digest
  return sameDigest(session_digest, session.digest)
}

export async function lockRequest(sql: Sql, requestDigest: Buffer): Promise<PendingRequest | null> {
  return fromStored(await store.lockRequest(sql, requestDigest))
}

function fromStored(row: store.StoredRequest | undefined): PendingRequest | null {
  if (!row) return null
  const { prompt, acr_values, state } = row
  return { ...row, prompt: prompt as Prompt[], acr_values: knownAcrs(acr_values), state: decodeURIComponent(state) }
}

/** Why a request can no longer be decided. */
export type RequestProblem = 'expired' | 'decided' | 'disabled' | 'redirect_uri_gone'

/** Null while it can be decided; `isBoundTo` decides who may repeat a decision. */
export function problemOfRequest(request: PendingRequest, now: Date): RequestProblem | null {
  if (request.decisions >= ownLimits.decisionsPerRequest) return 'decided'
  if (request.expires_at <= now) return request.decided_at ? 'decided' : 'expired'
  if (!request.enabled) return 'disabled'
  if (!isRegistered(request.redirect_uri, request.redirect_uris)) return 'redirect_uri_gone'
  return null
}
