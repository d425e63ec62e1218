import { closeRequestsOfApplication } from '../../authorization/consent/approval-requests.ts'
import { countActiveGrants, revokeGrantsOfApplication } from '../../authorization/token/grants.ts'
import { cancelWithdrawn } from '../../devices/commands/withdrawn-commands.ts'
import { withdrawCommands } from '../../directory/command-withdrawals.ts'
import {
  type ApplicationChange,
  type ApplicationResponse,
  changeApplication,
  lockApplication,
  toApplicationResponse,
} from '../../directory/partners/applications.ts'
import type { Actor } from '../../events/audit.ts'
import { queueEvent } from '../../events/outbox.ts'
import { transaction } from '../../platform/database/database.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import type { Context } from '../context.ts'

export interface ChangedApplication {
  application: ApplicationResponse
  revoked_grants: number
}

/**
 * Disabling revokes every grant, and withdraws its commands, in the same transaction (contract 2.1, 3). A new grant is
 * opened under `for share` on the application's row, once it was found enabled, so that none slips in between. Enabling
 * restores none.
 */
export async function changeApplicationAndGrants(
  context: Context,
  actor: Actor,
  clientId: string,
  change: ApplicationChange,
  ifMatch: string | undefined,
): Promise<ChangedApplication> {
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    const before = await lockApplication(sql, clientId)
    requireMatch(ifMatch, await toApplicationResponse(sql, at, before))
    const application = await changeApplication(sql, { at, actor }, before, change)
    if (application.enabled || !before.enabled) return { application, revoked_grants: 0 }
    const because = 'application_disabled'
    const revoked_grants = await revokeGrantsOfApplication(sql, clientId, { at, actor, because })
    await withdrawCommands(sql, { client_id: clientId, customer_id: null, actor })
    await cancelWithdrawn(context, sql, clientId)
    await closeRequestsOfApplication(sql, clientId, at)
    const owner = { partner_id: application.partner_id }
    await queueEvent(sql, { ...owner, type: 'application.disabled', at, data: { client_id: clientId } })
    return { application, revoked_grants }
  })
}

/** How many customers are connected now: disabling the application would revoke these grants. */
export async function activeGrantsOf(context: Context, clientId: string): Promise<number> {
  return await countActiveGrants(context.sql, clientId)
}
