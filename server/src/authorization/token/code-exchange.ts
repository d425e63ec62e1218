import { recordAudit } from '../../events/audit.ts'
import type { FailureReason } from '../../events/failure-reasons.ts'
import { ownLimits } from '../../platform/own-limits.ts'
import { digest, isWellFormed } from '../../platform/secrets/secrets.ts'
import type { Context } from '../context.ts'
import * as store from '../store/authorization-codes.ts'
import type { Client } from './client-authentication.ts'
import { type CodeVerdict, judgeCode } from './code-judgement.ts'
import { accessTokenSeconds, refreshTokenSeconds, secondsAfter } from './lifetimes.ts'
import { OAuthRefusal } from './oauth-refusal.ts'
import type { CodeExchange } from './token-request.ts'
import { prepareTokens, type TokenResponse } from './token-response.ts'

const refusals: Record<Exclude<CodeVerdict, 'exchange'>, [sentence: string, reason: FailureReason]> = {
  used: ['The code was already used.', 'code_used'],
  spent: ['The code was presented with too many wrong verifiers.', 'verifier_attempts_exceeded'],
  expired: ['The code has expired.', 'code_expired'],
  revoked: ['The grant of this code was revoked.', 'grant_revoked'],
  redirect_differs: ['redirect_uri differs from the one in the authorization request.', 'redirect_uri_differs'],
  verifier_mismatch: ['code_verifier does not match the code_challenge.', 'verifier_mismatch'],
}

/** Contract 3: a code is exchanged once, by the client it was issued to. */
export async function exchangeCode(context: Context, client: Client, request: CodeExchange): Promise<TokenResponse> {
  const refuse = (sentence: string, reason: FailureReason) =>
    new OAuthRefusal('invalid_grant', sentence, reason, client.client_id)
  const now = context.now()
  const key = digest(request.code)
  const known = isWellFormed('authorization_code', request.code)
  const code = known ? await store.findCode(context.sql, key) : undefined
  if (!code) throw refuse('The code is unknown.', 'code_unknown')
  // Another client learns nothing about the code, and cannot use it up (decision 6.21).
  if (code.client_id !== client.client_id) throw refuse('The code is unknown.', 'code_of_another_application')

  const verdict = judgeCode(code, request, now)
  if (verdict === 'verifier_mismatch')
    await store.countWrongVerifier(context.sql, key, now, ownLimits.wrongVerifiersPerCode)
  if (verdict === 'used') await recordReuse(context, code, now)
  if (verdict !== 'exchange') throw refuse(...refusals[verdict])

  const keys = await context.readSigningKeys()
  const { response, ...digests } = await prepareTokens(context, client, { ...code, subject: code }, keys)
  const won = await store.exchangeCode(context.sql, key, {
    ...digests,
    at: now,
    access_expires_at: secondsAfter(now, accessTokenSeconds),
    refresh_expires_at: secondsAfter(now, refreshTokenSeconds),
  })
  if (!won) {
    await recordReuse(context, code, now)
    throw refuse(...refusals.used)
  }
  context.tokenCounters.countIssued('authorization_code')
  return response
}

/** The tokens stay valid (contract 3), but a second party may have the code: hence an audit event (decision 6.20). */
async function recordReuse(context: Context, code: store.FoundCode, at: Date): Promise<void> {
  await recordAudit(context.sql, {
    type: 'authorization_code.reused',
    at,
    actor: { kind: 'application', id: code.client_id },
    application_id: code.client_id,
    customer_id: code.customer_id,
    details: { grant_id: code.grant_id },
  })
}
