import { recordAudit } from '../../events/audit.ts'
import type { FailureReason } from '../../events/failure-reasons.ts'
import type { BaseContext } from '../../platform/context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { transaction } from '../../platform/database/database.ts'
import { narrowScope, spaceSeparated } from '../authorize/scope.ts'
import * as store from '../store/refresh-tokens.ts'
import type { Client } from './client-authentication.ts'
import { type createGrantUseRecorder, revokeGrant } from './grants.ts'
import { accessTokenSeconds, refreshTokenSeconds, secondsAfter } from './lifetimes.ts'
import { OAuthRefusal } from './oauth-refusal.ts'
import { judgeRefresh, type RefreshVerdict } from './refresh-judgement.ts'
import type { FoundRefresh } from './refresh-reading.ts'
import type { TokenCounters } from './token-counters.ts'
import type { Refresh } from './token-request.ts'
import { type IssueContext, prepareTokens, type TokenResponse } from './token-response.ts'

const refusals: Record<Exclude<RefreshVerdict, 'rotate'>, [sentence: string, reason: FailureReason]> = {
  retry: ['The refresh token was already rotated.', 'refresh_rotated_retry'],
  replay: ['The refresh token was already rotated.', 'refresh_replayed'],
  expired: ['The refresh token has expired.', 'refresh_expired'],
  revoked: ['The grant of this refresh token was revoked.', 'grant_revoked'],
}

export interface RefreshContext extends IssueContext {
  rotateRefreshToken: ReturnType<typeof createRotation>
  recordGrantUse: ReturnType<typeof createGrantUseRecorder>
}

/** Contract 3: the first use of a refresh token rotates it; a use long after that revokes the customer's grant. */
export async function refreshTokens(
  context: RefreshContext,
  client: Client,
  request: Refresh,
  { digest, token, keys }: FoundRefresh,
): Promise<TokenResponse> {
  const refuse = (sentence: string, reason: FailureReason) =>
    new OAuthRefusal('invalid_grant', sentence, reason, client.client_id)
  if (!token) throw refuse('The refresh token is unknown.', 'refresh_unknown')
  // Before any judgement: one application must not be able to end another's grant.
  if (token.client_id !== client.client_id) {
    throw refuse('The refresh token is unknown.', 'refresh_of_another_application')
  }

  const now = context.now()
  const verdict = judgeRefresh(token, now)
  if (verdict === 'replay') await revokeReplayedGrant(context, token, now)
  if (verdict !== 'rotate') throw refuse(...refusals[verdict])

  const scope = narrowScope(spaceSeparated(token.scope!), request.scope)
  if (scope === null) {
    const sentence = 'scope can only contain values that were granted before.'
    throw new OAuthRefusal('invalid_scope', sentence, 'scope_widened', client.client_id)
  }
  const issue = { subject: token, scope, auth_time: token.auth_time!, acr: token.acr, amr: token.amr }
  const { response, access_digest, refresh_digest } = await prepareTokens(context, client, issue, keys)
  const rotation = { digest, new_digest: refresh_digest, access_digest, access_scope: response.scope }
  const won = await context.rotateRefreshToken(rotation)
  if (!won) throw refuse(...refusals.retry)
  if (token.use_is_stale) context.recordGrantUse(token.grant_id)
  return response
}

/** Many rotations in one statement and one commit. Of several with the same token only the first can win. */
export function createRotation(context: BaseContext, counters: TokenCounters) {
  return coalesce<store.Rotation, boolean>(async (rotations) => {
    const first = new Map<string, store.Rotation>()
    for (const rotation of rotations) {
      const key = rotation.digest.toString('latin1')
      if (!first.has(key)) first.set(key, rotation)
    }
    const at = context.now()
    const rotated = await store.rotateRefreshTokens(context.hot, [...first.values()], {
      at,
      access_expires_at: secondsAfter(at, accessTokenSeconds),
      refresh_expires_at: secondsAfter(at, refreshTokenSeconds),
    })
    const won = new Set(rotated.map((key) => first.get(key.toString('latin1'))))
    counters.countIssued('refresh_token', won.size)
    return rotations.map((rotation) => won.has(rotation))
  })
}

/** Committed before the response. Of many replays at once, one revokes the grant and records the event. */
async function revokeReplayedGrant(context: BaseContext, token: store.FoundRefreshToken, at: Date): Promise<void> {
  const actor = { kind: 'application', id: token.client_id } as const
  await transaction(context.sql, async (sql) => {
    const revoked = await revokeGrant(sql, token.grant_id, { at, actor, because: 'refresh_token_replayed' })
    if (!revoked) return
    await recordAudit(sql, {
      type: 'refresh_token.replayed',
      at,
      actor,
      application_id: token.client_id,
      customer_id: token.customer_id,
      details: {
        grant_id: token.grant_id,
        user_id: token.user_id,
        rotated_at: token.rotated_at?.toISOString() ?? null,
      },
    })
  })
}
