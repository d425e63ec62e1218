import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { hostOf, schemeOf } from '../../platform/http/origin.ts'
import { accentStylesheet } from '../../platform/pages/accent.ts'
import { type Brand, ownBrand } from '../../platform/pages/page.ts'
import { found, notFound } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import { skeletonOf } from '../../platform/skeleton.ts'
import type { Context } from '../context.ts'
import * as store from '../store/branding-sql.ts'
import { lockPartner } from '../store/partners-sql.ts'
import { type SentLogo, withVersion } from './logo.ts'
import { type RequestedChange, requestChange, requestedChangeOf, settleFields } from './presentation-changes.ts'
import { requireOwnName } from './public-names.ts'

interface BrandingChange {
  name?: string | undefined
  accent_color?: string | null | undefined
  logo?: SentLogo | null | undefined
}

export interface PartnerInfo extends store.PartnerInfo {
  requested_change: RequestedChange | null
}

export async function getPartnerInfo(context: Context, partnerId: string): Promise<PartnerInfo> {
  return await readInfo(context.sql, partnerId)
}

async function readInfo(sql: Sql, partnerId: string): Promise<PartnerInfo> {
  const info = found(await store.findPartnerInfo(sql, partnerId), 'partner')
  return { ...info, requested_change: await requestedChangeOf(sql, { partner_id: partnerId, client_id: null }) }
}

/** The colour changes at once; name and logo the partner asks the operator to change, except in a lab (decision 6.46). */
export async function changeBranding(
  context: Context,
  actor: Actor,
  partnerId: string,
  change: BrandingChange,
  ifMatch: string | undefined,
): Promise<PartnerInfo> {
  const at = context.now()
  const { accent_color, logo, ...name } = change
  const look = { ...name, ...(logo === undefined ? {} : { logo: logo && withVersion(logo) }) }
  return await transaction(context.sql, async (sql) => {
    await lockPartner(sql, partnerId)
    const before = await readInfo(sql, partnerId)
    requireMatch(ifMatch, before)
    if (context.config.lab) await applyBranding(sql, { at, actor }, partnerId, change)
    else {
      const subject = { partner_id: partnerId, client_id: null }
      const inForce = {
        ...{ name: before.name, home_page: null, requested_permissions: null },
        logo_version: before.logo === null ? null : undefined,
      }
      if (Object.keys(look).length > 0) await requestChange(sql, { at, actor, subject }, inForce, look)
      if (accent_color !== undefined) await applyBranding(sql, { at, actor }, partnerId, { accent_color })
    }
    return await readInfo(sql, partnerId)
  })
}

/** Within the caller's transaction, with the partner locked. */
export async function applyBranding(
  sql: Sql,
  { at, actor, namedBy = actor }: { at: Date; actor: Actor; namedBy?: Actor },
  partnerId: string,
  change: BrandingChange,
): Promise<void> {
  const before = found(await store.findPartnerInfo(sql, partnerId), 'partner')
  if (change.name !== undefined && change.name !== before.name) {
    await requireOwnName(sql, { actor: namedBy, name: change.name, partnerId })
  }
  await store.updateBranding(sql, partnerId, {
    name: change.name ?? before.name,
    name_skeleton: skeletonOf(change.name ?? before.name),
    accent_color: change.accent_color === undefined ? before.accent_color : change.accent_color,
  })
  if (change.logo !== undefined) await store.updateLogo(sql, partnerId, change.logo && withVersion(change.logo))
  await settleFields(sql, { partner_id: partnerId, client_id: null }, change)
  const details = { fields: Object.keys(change) }
  await recordAudit(sql, { type: 'partner.changed', at, actor, partner_id: partnerId, details })
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
