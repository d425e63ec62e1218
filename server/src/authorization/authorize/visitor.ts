import type { Context } from '../../context.ts'
import { readSession, type Session, visitorOf } from '../../directory/accounts/sessions.ts'
import { brandOf } from '../../directory/partners/branding.ts'
import type { Brand } from '../../platform/pages/page.ts'
import type { RequestingApplication } from './pending-requests.ts'

export type { Session } from '../../directory/accounts/sessions.ts'
export { brandOfHost } from '../../directory/partners/branding.ts'

/** Null when nobody is signed in. */
export async function findVisitorSession(
  context: Context,
  request: Parameters<typeof visitorOf>[0],
): Promise<Session | null> {
  return await readSession(context, visitorOf(request))
}

/** Pages about an application have the brand of the partner that owns it. */
export function brandOfApplication({ partner_id, partner_name, accent_color, has_logo }: RequestingApplication): Brand {
  return brandOf({ id: partner_id, name: partner_name, accent_color, has_logo })
}
