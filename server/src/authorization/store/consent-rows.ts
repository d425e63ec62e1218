import type { Sql } from '../../platform/database/sql.ts'

export interface ConsentRow {
  customer_id: string
  customer_name: string
  role: 'administrator' | 'member'
  active: boolean
  approved: boolean
  policy: 'everyone' | 'administrators' | 'group' | null
  group_name: string | null
  in_group: boolean
  /** Up to three whom the person can ask, as `name <email>`. */
  administrators: string[]
}

/** One row per customer the person belongs to, with the facts that `judgeConsentRow` needs. */
export async function listConsentRows(sql: Sql, clientId: string, userId: string): Promise<ConsentRow[]> {
  return await sql<ConsentRow[]>`
    select c.id as customer_id, c.name as customer_name, m.role, m.active,
      a.client_id is not null as approved, a.policy, g.name as group_name, gm.user_id is not null as in_group,
      array(
        select format('%s <%s>', u.name, u.email) from directory_memberships admins join directory_users u on u.id = admins.user_id
        where admins.customer_id = c.id and admins.role = 'administrator' and admins.active limit 3
      ) as administrators
    from directory_memberships m
    join directory_customers c on c.id = m.customer_id
    left join approvals a on a.customer_id = c.id and a.client_id = ${clientId}
    left join directory_groups g on g.id = a.group_id
    left join directory_group_members gm on gm.group_id = a.group_id and gm.user_id = m.user_id
    where m.user_id = ${userId}
    order by c.name, c.id`
}

/** Membership and approval cannot change until the transaction ends. */
export async function lockConsentRow(sql: Sql, clientId: string, customerId: string, userId: string): Promise<void> {
  await sql`select 1 from directory_memberships where customer_id = ${customerId} and user_id = ${userId} for share`
  await sql`select 1 from approvals where client_id = ${clientId} and customer_id = ${customerId} for share`
}
