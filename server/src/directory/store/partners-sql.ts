import type { PageRange, Sql } from '../../platform/database/sql.ts'

export interface Partner {
  id: string
  name: string
  portal_domain: string | null
  created_at: Date
}

export async function insertPartner(sql: Sql, partner: Partner & { name_skeleton: string }): Promise<void> {
  await sql`insert into partners ${sql(partner, 'id', 'name', 'name_skeleton', 'portal_domain', 'created_at')}`
}

export async function findPartner(sql: Sql, id: string): Promise<Partner | undefined> {
  const [row] = await sql<Partner[]>`
    select id, name, portal_domain, created_at from partners where id = ${id}`
  return row
}

/** Every change of a partner's members or branding takes this lock first. */
export async function lockPartner(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`select 1 from partners where id = ${id} for no key update`
  return rows.length > 0
}

export async function listPartners(sql: Sql, { after, limit }: PageRange): Promise<Partner[]> {
  return await sql<Partner[]>`
    select id, name, portal_domain, created_at from partners
    where id > ${after}
    order by id limit ${limit}`
}

/** Any constant. */
const namesLock = 7_415_003

/** Until the transaction ends, nobody else gives a partner or an application a name. */
export async function lockNames(sql: Sql): Promise<void> {
  await sql`select pg_advisory_xact_lock(${namesLock})`
}

/** The names of other partners that look like this one. */
export async function findNamesLike(sql: Sql, skeleton: string, partnerId: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct name from partners where name_skeleton = ${skeleton} and id <> ${partnerId} limit 100`
  return rows.map(({ name }) => name)
}

export interface PartnerChange {
  name?: string | undefined
  /** Of the name. */
  name_skeleton?: string | undefined
  /** `null` removes the domain; undefined leaves it. */
  portal_domain?: string | null | undefined
}

export async function updatePartner(sql: Sql, id: string, change: PartnerChange): Promise<Partner | undefined> {
  const [row] = await sql<Partner[]>`
    update partners set
      name = coalesce(${change.name ?? null}, name),
      name_skeleton = coalesce(${change.name_skeleton ?? null}, name_skeleton),
      portal_domain = case when ${change.portal_domain !== undefined} then ${change.portal_domain ?? null} else portal_domain end
    where id = ${id}
    returning id, name, portal_domain, created_at`
  return row
}

/** The portal domain of a partner, or of a customer's partner. */
export async function findPortalDomain(
  sql: Sql,
  target: { customer_id: string } | { partner_id: string },
): Promise<string | null> {
  const [row] =
    'partner_id' in target
      ? await sql<{ portal_domain: string | null }[]>`
          select portal_domain from partners where id = ${target.partner_id}`
      : await sql<{ portal_domain: string | null }[]>`
          select portal_domain from customers c join partners p on p.id = c.partner_id where c.id = ${target.customer_id}`
  return row?.portal_domain ?? null
}
