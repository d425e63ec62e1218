import type { Sql } from '../../platform/database/sql.ts'

export interface BrandRow {
  id: string
  name: string
  accent_color: string | null
  has_logo: boolean
}

/** Two at most: one is the host's partner, more share it and none of them is. */
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
