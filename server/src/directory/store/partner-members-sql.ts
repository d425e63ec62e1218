import type { PageRange, Sql } from '../../platform/database/sql.ts'

export interface PartnerMember {
  id: string
  email: string
  name: string
  created_at: Date
}

/** At most two, which is enough to know "several". */
export async function findPartnersOf(sql: Sql, userId: string, partnerId: string | null): Promise<string[]> {
  const rows = await sql<{ partner_id: string }[]>`
    select partner_id from partner_members
    where user_id = ${userId} and (${partnerId}::uuid is null or partner_id = ${partnerId}) limit 2`
  return rows.map(({ partner_id }) => partner_id)
}

export async function listPartnerMembers(
  sql: Sql,
  partnerId: string,
  { after, limit }: PageRange,
): Promise<PartnerMember[]> {
  return await sql<PartnerMember[]>`
    select u.id, u.email, u.name, m.created_at
    from partner_members m join users u on u.id = m.user_id
    where m.partner_id = ${partnerId} and m.user_id > ${after}
    order by m.user_id limit ${limit}`
}

export async function findPartnerMember(
  sql: Sql,
  partnerId: string,
  userId: string,
): Promise<PartnerMember | undefined> {
  const [row] = await sql<PartnerMember[]>`
    select u.id, u.email, u.name, m.created_at
    from partner_members m join users u on u.id = m.user_id
    where m.partner_id = ${partnerId} and m.user_id = ${userId}`
  return row
}

export async function deletePartnerMember(sql: Sql, partnerId: string, userId: string): Promise<boolean> {
  const { count } = await sql`delete from partner_members where partner_id = ${partnerId} and user_id = ${userId}`
  return count === 1
}

export async function countPartnerMembers(sql: Sql, partnerId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from partner_members where partner_id = ${partnerId}`
  return row!.count
}

export async function insertPartnerMember(
  sql: Sql,
  member: { partner_id: string; user_id: string; created_at: Date },
): Promise<boolean> {
  const rows = await sql`
    insert into partner_members ${sql(member, 'partner_id', 'user_id', 'created_at')}
    on conflict do nothing returning user_id`
  return rows.length > 0
}

export async function isPartnerMember(sql: Sql, partnerId: string, email: string): Promise<boolean> {
  const rows = await sql`
    select 1 from users u join partner_members m on m.user_id = u.id
    where lower(u.email) = lower(${email}) and m.partner_id = ${partnerId}`
  return rows.length > 0
}
