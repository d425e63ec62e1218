import type { Context } from '../../context.ts'
import {
  type ApplicationResponse,
  changeApplication,
  lockApplicationOf,
  toApplicationResponse,
} from '../../directory/partners/applications.ts'
import type { Actor } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import { requireMatch } from '../../platform/http/etag.ts'

/** A partner names its application and says where its users come back to. Enabling it is the operator's. */
export async function changeOwnApplication(
  context: Context,
  actor: Actor,
  target: { partnerId: string; clientId: string; ifMatch: string | undefined },
  change: { name?: string; redirect_uris?: string[] },
): Promise<ApplicationResponse> {
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    const before = await lockApplicationOf(sql, target.partnerId, target.clientId)
    requireMatch(target.ifMatch, await toApplicationResponse(sql, at, before))
    return await changeApplication(sql, { at, actor }, before, change)
  })
}
