import type { Session } from '../../directory/accounts/sessions.ts'
import { secondFactorOf } from '../../directory/organization/factor-policy.ts'
import type { Context } from '../context.ts'
import { fulfils, needsStepUp } from './acr.ts'
import type { PendingRequest } from './pending-requests.ts'

/** Whether the application asked for more than this session fulfils, and the person can present it. */
export async function mustStepUp(context: Context, request: PendingRequest, session: Session): Promise<boolean> {
  if (fulfils(request.acr_values, session.methods)) return false
  return needsStepUp(request, session, await secondFactorOf(context, session.user_id))
}
