import type { Context } from '../../context.ts'
import { recordAudit } from '../../events/audit.ts'
import type { FailureReason } from '../../events/failure-reasons.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { transaction } from '../../platform/database/database.ts'
import { perContext } from '../../platform/database/per-context.ts'
import { scopeValues } from '../authorize/scope.ts'
import * as store from '../store/refresh-tokens.ts'
import type { Client } from './client-authentication.ts'
import { revokeGrant } from './grants.ts'
import { noteGrantUse } from './last-used.ts'
import { accessTokenSeconds, refreshTokenSeconds, secondsAfter } from './lifetimes.ts'
import { OAuthRefusal } from './oauth-refusal.ts'
import { judgeRefresh, type RefreshVerdict } from './refresh-judgement.ts'
import type { RefreshReading } from './refresh-reading.ts'
import { prepareTokens, type TokenResponse } from './token-response.ts'

export interface PresentedRefreshToken {
  refresh_token: string
  scope?: string | undefined
}

const refusals: Record<Exclude<RefreshVerdict, 'rotate'>, [sentence: string, reason: FailureReason]> = {
  retry: ['The refresh token was already rotated.', 'refresh_rotated_retry'],
  replay: ['The refresh token was already rotated.', 'refresh_replayed'],
  expired: ['The refresh token has expired.', 'refresh_expired'],
  revoked: ['The grant of this refresh token was revoked.', 'grant_revoked'],
}

/** Section 3: a refresh token is rotated by its first use; a use long after that ends the customer's grant. */
export async function refreshTokens(
  context: Context,
  client: Client,
  shown: PresentedRefreshToken,
  { digest, token, keys }: RefreshReading,
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
  if (verdict === 'replay') await endReplayedGrant(context, token, now)
  if (verdict !== 'rotate') throw refuse(...refusals[verdict])

  const scope = narrow(scopeValues(token.scope), shown.scope, client)
  const issue = { subject: token, scope, auth_time: token.auth_time }
  const { response, access_digest, refresh_digest } = await prepareTokens(context, client, issue, keys)
  const won = await rotate(context)({
    digest,
    new_digest: refresh_digest,
    access_digest,
    access_scope: response.scope,
  })
  if (!won) throw refuse(...refusals.retry)
  if (token.use_to_note) noteGrantUse(context, token.grant_id)
  return response
}

/** Many rotations, one statement, one commit. Of several with one token the first goes; the rest have lost already. */
const rotate = perContext((context: Context) =>
  coalesce<store.Rotation, boolean>(async (rotations) => {
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
    context.counters.countTokens('refresh_token', won.size)
    return rotations.map((rotation) => won.has(rotation))
  }),
)

/** RFC 6749 section 6: no scope that the grant did not have; omitted means all of it. */
function narrow(granted: string[], asked: string | undefined, client: Client): string[] {
  if (asked === undefined) return granted
  const wanted = new Set(scopeValues(asked))
  const beyond = [...wanted].find((value) => !granted.includes(value))
  if (beyond !== undefined) {
    const sentence = 'scope may only name values that were granted before.'
    throw new OAuthRefusal('invalid_scope', sentence, 'scope_widened', client.client_id)
  }
  return granted.filter((value) => wanted.has(value))
}

/** Committed before the client is answered. Of many replays at once one ends the grant and leaves the event. */
async function endReplayedGrant(context: Context, token: store.FoundRefreshToken, at: Date): Promise<void> {
  const actor = { kind: 'application', id: token.client_id } as const
  await transaction(context.sql, async (sql) => {
    const ended = await revokeGrant(sql, token.grant_id, { at, actor, because: 'refresh_token_replayed' })
    if (!ended) return
    await recordAudit(sql, {
      type: 'refresh_token.replayed',
      at,
      actor,
      application_id: token.client_id,
      customer_id: token.customer_id,
      details: { grant_id: token.grant_id, user_id: token.user_id, rotated_at: token.rotated_at!.toISOString() },
    })
  })
}
