import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { hostOf, schemeOf } from '../../platform/http/origin.ts'
import { accentStylesheet } from '../../platform/pages/accent.ts'
import { type Brand, ownBrand } from '../../platform/pages/page.ts'
import { found, notFound } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import { skeletonOf } from '../../platform/skeleton.ts'
import type { Context } from '../context.ts'
import * as store from '../store/branding.ts'
import { lockPartner } from '../store/partners.ts'
import { readLogo, type SentLogo } from './logo.ts'
import { requireOwnName } from './public-names.ts'

interface BrandingChange {
  name?: string | undefined
  accent_color?: string | null | undefined
  logo?: SentLogo | null | undefined
}

export async function getPartnerInfo(context: Context, partnerId: string): Promise<store.PartnerInfo> {
  return found(await store.findPartnerInfo(context.sql, partnerId), 'partner')
}

export async function changeBranding(
  context: Context,
  actor: Actor,
  partnerId: string,
  change: BrandingChange,
  ifMatch: string | undefined,
): Promise<store.PartnerInfo> {
  const logo = change.logo ? { logo: readLogo(change.logo), logo_type: change.logo.type } : null
  return await transaction(context.sql, async (sql) => {
    await lockPartner(sql, partnerId)
    const before = found(await store.findPartnerInfo(sql, partnerId), 'partner')
    requireMatch(ifMatch, before)
    if (change.name !== undefined && change.name !== before.name) {
      await requireOwnName(sql, { actor, name: change.name, partnerId })
    }
    await store.updateBranding(sql, partnerId, {
      name: change.name ?? before.name,
      name_skeleton: skeletonOf(change.name ?? before.name),
      accent_color: change.accent_color === undefined ? before.accent_color : change.accent_color,
    })
    if (change.logo !== undefined) await store.updateLogo(sql, partnerId, logo)
    const details = { fields: Object.keys(change) }
    await recordAudit(sql, { type: 'partner.changed', at: context.now(), actor, partner_id: partnerId, details })
    return (await store.findPartnerInfo(sql, partnerId))!
  })
}

/** The brand of the partner whose portal this host is; our own where several partners share the host. */
export async function brandOfHost(context: Context, host: string): Promise<Brand> {
  const [partner, another] = await partnersAt(context, host)
  return partner && !another ? brandOf(partner) : ownBrand
}

export async function isPortalDomain(context: Context, host: string): Promise<boolean> {
  return (await partnersAt(context, host)).length > 0
}

/** At most two: more than one means that the host is shared. */
async function partnersAt(context: Context, host: string): Promise<store.BrandRow[]> {
  const domain = hostOf(context.addresses.publicUrl, host)
  if (domain === null) return []
  const port = schemeOf(context.addresses.publicUrl) === 'https:' ? 443 : 80
  return await store.findBrandsByDomain(context.sql, [domain, `${domain}:${port}`])
}

export function brandOf(partner: store.BrandRow): Brand {
  return {
    name: partner.name,
    accent: partner.accent_color ?? undefined,
    stylesheet: partner.accent_color ? `/pages/partners/${partner.id}/accent.css` : undefined,
    logo: partner.has_logo ? `/pages/partners/${partner.id}/logo` : undefined,
  }
}

export async function getAccentStylesheet(context: Context, partnerId: string): Promise<string> {
  const color = isId(partnerId) ? await store.findAccentColor(context.sql, partnerId) : null
  return color ? accentStylesheet(color) : ''
}

export async function getLogo(context: Context, partnerId: string): Promise<{ logo: Buffer; logo_type: string }> {
  const found = isId(partnerId) ? await store.findLogo(context.sql, partnerId) : undefined
  if (!found) throw notFound('logo')
  return found
}
