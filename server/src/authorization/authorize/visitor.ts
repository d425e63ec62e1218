import type { Context } from '../../context.ts'
import { readSession, type Session, visitorOf } from '../../directory/accounts/sessions.ts'
import { brandOf, brandOfHost } from '../../directory/partners/branding.ts'
import type { Brand } from '../../platform/pages/page.ts'
import type { RequestingApplication } from './pending-requests.ts'

export type { Session } from '../../directory/accounts/sessions.ts'

/** Who stands before the consent screen; null when nobody has signed in. */
export async function findVisitorSession(
  context: Context,
  request: Parameters<typeof visitorOf>[0],
): Promise<Session | null> {
  return await readSession(context, visitorOf(request))
}

/** In whose house: the partner's that owns the application. */
export function brandOfApplication({ partner_id, partner_name, accent_color, has_logo }: RequestingApplication): Brand {
  return brandOf({ id: partner_id, name: partner_name, accent_color, has_logo })
}

/** Where no application is known, the house is the host's. */
export async function brandOfHostname(context: Context, host: string): Promise<Brand> {
  return await brandOfHost(context, host)
}
