import type { Sql } from '../../platform/database/sql.ts'

export interface PartnerInfo {
  id: string
  name: string
  portal_domain: string | null
  accent_color: string | null
  logo: string | null
  lab_customer_id: string | null
  created_at: Date
}

export async function findPartnerInfo(sql: Sql, id: string): Promise<PartnerInfo | undefined> {
  const [row] = await sql<PartnerInfo[]>`
    select id, name, portal_domain, accent_color, created_at,
      case when logo is not null then '/pages/partners/' || id || '/logo' end as logo,
      (select c.id from customers c where c.partner_id = partners.id and c.lab order by c.id limit 1) as lab_customer_id
    from partners where id = ${id}`
  return row
}

export async function updateBranding(
  sql: Sql,
  id: string,
  branding: { name: string; name_skeleton: string; accent_color: string | null },
): Promise<void> {
  await sql`update partners set ${sql(branding, 'name', 'name_skeleton', 'accent_color')} where id = ${id}`
}

export async function updateLogo(
  sql: Sql,
  id: string,
  logo: { logo: Buffer; logo_type: string } | null,
): Promise<void> {
  await sql`update partners set logo = ${logo?.logo ?? null}, logo_type = ${logo?.logo_type ?? null} where id = ${id}`
}

export interface BrandRow {
  id: string
  name: string
  accent_color: string | null
  has_logo: boolean
}

/** At most two: more than one means that the host is shared. */
export async function findBrandsByDomain(sql: Sql, domains: string[]): Promise<BrandRow[]> {
  return await sql<BrandRow[]>`
    select id, name, accent_color, logo is not null as has_logo from partners
    where portal_domain = any(${domains}) limit 2`
}

export async function findAccentColor(sql: Sql, partnerId: string): Promise<string | null> {
  const [row] = await sql<{ accent_color: string | null }[]>`select accent_color from partners where id = ${partnerId}`
  return row?.accent_color ?? null
}

export async function findLogo(sql: Sql, partnerId: string): Promise<{ logo: Buffer; logo_type: string } | undefined> {
  const [row] = await sql<{ logo: Buffer; logo_type: string }[]>`
    select logo, logo_type from partners where id = ${partnerId} and logo is not null`
  return row
}
