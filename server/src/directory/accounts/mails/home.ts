import type { NewMail } from '../../../events/mail/new-mail.ts'
import type { BaseContext } from '../../../platform/context.ts'
import type { Sql } from '../../../platform/database/sql.ts'
import { hostOf, isPublicHost, schemeOf } from '../../../platform/http/origin.ts'
import { findDomainsOf, findTargetLooks, type PersonsDomain } from '../../store/mail-recipients-sql.ts'

/** Where the links of a mail to a person lead, and whose look it has. */
export interface Home {
  origin: string
  brand?: NewMail['brand']
}

/**
 * One of the portals of the organizations that the person belongs to, or the public address. `host` is where the person
 * was: it only chooses among those, since anybody can send any Host, and whoever controls a portal domain sees the links
 * that lead there.
 */
export async function homeOf(
  { addresses: { publicUrl } }: Pick<BaseContext, 'addresses'>,
  sql: Sql,
  userId: string,
  host: string | null,
): Promise<Home> {
  if (host !== null && isPublicHost(publicUrl, host)) return { origin: publicUrl }
  const domains = await findDomainsOf(sql, userId)
  const asked = host === null ? null : hostOf(publicUrl, host)
  const here = domains.find(({ portal_domain }) => hostOf(publicUrl, portal_domain) === asked)
  const only = new Set(domains.map(({ portal_domain }) => portal_domain)).size === 1 ? domains[0] : undefined
  const domain = here ?? only
  return domain ? homeAt(publicUrl, domain) : { origin: publicUrl }
}

/** With the name of the customer or partner. */
export type OrganizationHome = Home & { name: string }

export async function homesOf(
  { addresses: { publicUrl } }: Pick<BaseContext, 'addresses'>,
  sql: Sql,
  targetIds: readonly string[],
): Promise<Map<string, OrganizationHome>> {
  const looks = await findTargetLooks(sql, targetIds)
  return new Map(
    looks.map(({ id, name, portal_domain, partner_name, ...look }) => {
      if (portal_domain === null) return [id, { origin: publicUrl, name }]
      return [id, { ...homeAt(publicUrl, { portal_domain, name: partner_name, ...look }), name }]
    }),
  )
}

export async function homeOfTarget(
  context: Pick<BaseContext, 'addresses'>,
  sql: Sql,
  target: { customer_id: string } | { partner_id: string },
): Promise<OrganizationHome> {
  const id = 'partner_id' in target ? target.partner_id : target.customer_id
  return (await homesOf(context, sql, [id])).get(id)!
}

function homeAt(publicUrl: string, { portal_domain, name, accent_color, shared }: PersonsDomain): Home {
  const origin = `${schemeOf(publicUrl)}//${portal_domain}`
  return shared ? { origin } : { origin, brand: { name, accent: accent_color } }
}
