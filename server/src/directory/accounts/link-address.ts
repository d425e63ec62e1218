import type { Context } from '../../context.ts'
import { schemeOf } from '../../platform/http/origin.ts'
import type { InvitationTarget } from '../store/links.ts'
import { findPortalDomain } from '../store/partners.ts'

/** Where a one-time link is opened: `/link/<secret>`, on the portal it leads to where there is one. */
export const linkPath = '/link'

export async function linkAddress(context: Context, target: InvitationTarget | null, secret: string): Promise<string> {
  const { publicUrl } = context.addresses
  const domain = target && (await findPortalDomain(context.sql, target))
  return `${domain ? `${schemeOf(publicUrl)}//${domain}` : publicUrl}${linkPath}/${secret}`
}
