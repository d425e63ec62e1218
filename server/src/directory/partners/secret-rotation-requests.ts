import type { Context } from '../../context.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import { requestSecretRotation } from '../store/applications.ts'
import { type ApplicationResponse, lockApplicationOf, toApplicationResponse } from './applications.ts'

export type RotationReason = 'leaked' | 'lost' | 'routine'

/** Rotation is the operator's, on request (spec 2.1): the request stands with the application until it is done. */
export async function askForSecretRotation(
  context: Context,
  actor: Actor,
  partnerId: string,
  clientId: string,
  { reason, note }: { reason: RotationReason; note?: string | undefined },
): Promise<ApplicationResponse> {
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    await lockApplicationOf(sql, partnerId, clientId)
    const application = await requestSecretRotation(sql, clientId, at)
    const details = { reason, ...(note === undefined ? {} : { note }) }
    const about = { at, actor, partner_id: partnerId, application_id: clientId, details }
    await recordAudit(sql, { ...about, type: 'client_secret.rotation_requested' })
    return await toApplicationResponse(sql, at, application)
  })
}
