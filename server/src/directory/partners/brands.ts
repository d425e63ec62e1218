import type { Context } from '../../context.ts'
import { hostOf, schemeOf } from '../../platform/http/origin.ts'
import { accentStylesheet } from '../../platform/pages/accent.ts'
import { type Brand, ownBrand } from '../../platform/pages/page.ts'
import { notFound } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import * as store from '../store/brands.ts'

/** Whose portal this host is. Where several partners share it, it is nobody's in particular. */
export async function brandOfHost(context: Context, host: string): Promise<Brand> {
  const [partner, another] = await partnersAt(context, host)
  return partner && !another ? brandOf(partner) : ownBrand
}

export async function isPortalDomain(context: Context, host: string): Promise<boolean> {
  return (await partnersAt(context, host)).length > 0
}

/** Two at most. */
async function partnersAt(context: Context, host: string): Promise<store.BrandRow[]> {
  const domain = hostOf(context.addresses.publicUrl, host)
  if (domain === null) return []
  const port = schemeOf(context.addresses.publicUrl) === 'https:' ? 443 : 80
  return await store.findBrandsByDomain(context.sql, [domain, `${domain}:${port}`])
}

export function brandOf(partner: store.BrandRow): Brand {
  return {
    name: partner.name,
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
