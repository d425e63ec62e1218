import type { Sql } from '../../platform/database/sql.ts'

export type CheckResult = 'found' | 'missing' | 'unreachable'

export interface PartnerDomain {
  partner_id: string
  domain: string
  token: string
  verified_at: Date | null
  checked_at: Date | null
  result: CheckResult | null
  found_at: Date | null
  missing_since: Date | null
}

const columns = (sql: Sql) => sql`partner_id, domain, token, verified_at, checked_at, result, found_at, missing_since`

export async function findDomain(sql: Sql, partnerId: string): Promise<PartnerDomain | undefined> {
  const [row] = await sql<PartnerDomain[]>`
    select ${columns(sql)} from partner_domains where partner_id = ${partnerId}`
  return row
}

/** Until the transaction ends, nobody else changes it. */
export async function lockDomain(sql: Sql, partnerId: string): Promise<PartnerDomain | undefined> {
  const [row] = await sql<PartnerDomain[]>`
    select ${columns(sql)} from partner_domains where partner_id = ${partnerId} for update`
  return row
}

/** Nothing is known yet about another domain. */
export async function replaceDomain(
  sql: Sql,
  { partner_id, domain, token, at }: { partner_id: string; domain: string; token: string; at: Date },
): Promise<void> {
  await sql`
    insert into partner_domains (partner_id, domain, token, check_at, created_at)
    values (${partner_id}, ${domain}, ${token}, ${at}, ${at})
    on conflict (partner_id) do update set
      domain = excluded.domain, token = excluded.token, created_at = excluded.created_at, check_at = excluded.check_at,
      verified_at = null, checked_at = null, result = null, found_at = null, missing_since = null`
}

export async function deleteDomain(sql: Sql, partnerId: string): Promise<PartnerDomain | undefined> {
  const [row] = await sql<PartnerDomain[]>`
    delete from partner_domains where partner_id = ${partnerId} returning ${columns(sql)}`
  return row
}

export interface CheckedDomain {
  verified_at: Date | null
  checked_at: Date
  result: CheckResult
  found_at: Date | null
  missing_since: Date | null
  check_at: Date
}

export async function updateChecked(sql: Sql, partnerId: string, checked: CheckedDomain): Promise<void> {
  await sql`
    update partner_domains
    set ${sql(checked, 'verified_at', 'checked_at', 'result', 'found_at', 'missing_since', 'check_at')}
    where partner_id = ${partnerId}`
}

/** Those that are due; `until` is when others may take them, should this process die. */
export async function takeDueDomains(sql: Sql, { now, until }: { now: Date; until: Date }, limit: number) {
  return await sql<PartnerDomain[]>`
    update partner_domains set check_at = ${until}
    where partner_id = any(array(
      select partner_id from partner_domains where verified_at is not null and check_at <= ${now}
      order by check_at limit ${limit} for update skip locked))
    returning ${columns(sql)}`
}
