import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import { lifetimes } from '../../platform/own-limits.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { digest, hint, mintSecret } from '../../platform/secrets/secrets.ts'
import type { Context } from '../context.ts'
import { clearRotationRequest, markRotationRequested } from '../store/applications-sql.ts'
import { insertClientSecret, retireClientSecrets } from '../store/client-secrets-sql.ts'
import { type ApplicationResponse, lockApplication, lockApplicationOf, toApplicationResponse } from './applications.ts'

interface RotatedSecret {
  client_secret: string
  previous_expires_at: Date
}

/** The new secret is returned once and works at once; the previous one expires after the overlap (decision 6.22). */
export async function rotateClientSecret(
  context: Context,
  actor: Actor,
  clientId: string,
  overlap: number = lifetimes.previousSecretSeconds,
): Promise<RotatedSecret> {
  const at = context.now()
  const previous_expires_at = new Date(at.getTime() + overlap * 1000)
  const client_secret = mintSecret('client_secret')
  await transaction(context.sql, async (sql) => {
    // The lock makes rotations take turns: two at once would each leave the other's secret without an expiry.
    const application = await lockApplication(sql, clientId)
    await retireClientSecrets(sql, clientId, at, previous_expires_at)
    await insertClientSecret(sql, {
      id: newId(),
      client_id: clientId,
      digest: digest(client_secret),
      hint: hint(client_secret),
      created_at: at,
    })
    await clearRotationRequest(sql, clientId)
    await recordAudit(sql, {
      type: 'client_secret.rotated',
      at,
      actor,
      partner_id: application.partner_id,
      application_id: clientId,
      details: { hint: hint(client_secret), overlap_seconds: overlap },
    })
  })
  return { client_secret, previous_expires_at }
}

type RotationReason = 'leaked' | 'lost' | 'routine'

/** The operator rotates on request (contract 2.1): the request stays with the application until that is done. */
export async function requestSecretRotation(
  context: Context,
  actor: Actor,
  partnerId: string,
  clientId: string,
  { reason, note }: { reason: RotationReason; note?: string | undefined },
): Promise<ApplicationResponse> {
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    await lockApplicationOf(sql, partnerId, clientId)
    const application = await markRotationRequested(sql, clientId, at)
    const details = { reason, ...(note === undefined ? {} : { note }) }
    const about = { at, actor, partner_id: partnerId, application_id: clientId, details }
    await recordAudit(sql, { ...about, type: 'client_secret.rotation_requested' })
    return await toApplicationResponse(sql, at, application)
  })
}
