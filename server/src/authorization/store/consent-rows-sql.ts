import type { Sql } from '../../platform/database/sql.ts'
import type { Outcome } from './approval-requests-sql.ts'
import type { CredentialPermissions, RequestedPermissions } from './permission-columns.ts'

export interface StoredConsentRow {
  customer_id: string
  customer_name: string
  role: 'administrator' | 'member'
  active: boolean
  approved: boolean
  policy: 'everyone' | 'administrators' | 'group' | null
  group_name: string | null
  /** What the application asks for now; null: everything. */
  requested_permissions: RequestedPermissions | null
  /** What was approved, where, and what was asked for then; null: everything, everywhere. */
  permissions: CredentialPermissions | null
  within: string[] | null
  asked_before: CredentialPermissions | null
  in_group: boolean
  /** When the person asked an administrator to approve it, and what came of it; null: never asked, or still open. */
  asked_at: Date | null
  outcome: Outcome | null
  decided_at: Date | null
  administrators_since: Date | null
  all_since: Date | null
  joined_at: Date
  administrator_since: Date | null
  second_factor: 'passkey' | 'app' | null
}

/** One row per customer the person belongs to, with the facts that `judgeConsentRow` needs. */
export async function listConsentRows(sql: Sql, clientId: string, userId: string): Promise<StoredConsentRow[]> {
  return await sql<StoredConsentRow[]>`
    select c.id as customer_id, c.name as customer_name, m.role, m.active,
      a.client_id is not null as approved, a.policy, g.name as group_name,
      app.requested_permissions, a.permissions, a.within, a.requested as asked_before, gm.user_id is not null as in_group,
      r.requested_at as asked_at, r.outcome, r.decided_at,
      c.second_factor_administrators_since as administrators_since, c.second_factor_all_since as all_since,
      m.created_at as joined_at, m.administrator_since,
      case when c.second_factor_administrators_since is not null then second_factor_of(m.user_id) end as second_factor
    from directory_memberships m
    join directory_customers c on c.id = m.customer_id
    join directory_applications app on app.client_id = ${clientId}
    left join approvals a on a.customer_id = c.id and a.client_id = ${clientId}
    left join directory_groups g on g.id = a.group_id
    left join directory_group_members gm on gm.group_id = a.group_id and gm.user_id = m.user_id
    left join approval_requests r on r.customer_id = c.id and r.user_id = m.user_id and r.client_id = ${clientId}
    where m.user_id = ${userId}
    order by c.name, c.id`
}

export interface GroupChoice {
  customer_id: string
  id: string
  name: string
}

/** The first groups of each customer, by name. */
export async function listGroupsOf(sql: Sql, customerIds: string[], max: number): Promise<GroupChoice[]> {
  return await sql<GroupChoice[]>`
    select g.customer_id, g.id, g.name
    from unnest(${customerIds}::uuid[]) as customers (id)
    cross join lateral (
      select customer_id, id, name from directory_groups where customer_id = customers.id
      order by lower(name), id limit ${max}) g
    order by lower(g.name), g.id`
}

/** Some whom a member can ask, as `name <email>`. */
export async function listAdministratorsOf(sql: Sql, customerIds: string[], max: number): Promise<string[]> {
  const rows = await sql<{ person: string }[]>`
    select distinct format('%s <%s>', u.name, u.email) as person
    from directory_memberships m join directory_users u on u.id = m.user_id
    where m.customer_id = any(${customerIds}::uuid[]) and m.role = 'administrator' and m.active
    order by 1 limit ${max}`
  return rows.map(({ person }) => person)
}

/**
 * Membership and approval cannot change until the transaction ends. For one that changes the approval itself, the lock is
 * the stronger one from the start: two that hold the weaker one would wait for each other.
 */
export async function lockConsentRow(
  sql: Sql,
  { clientId, customerId, userId }: { clientId: string; customerId: string; userId: string },
  changes = false,
): Promise<void> {
  await sql`select 1 from directory_memberships where customer_id = ${customerId} and user_id = ${userId} for share`
  const lock = changes ? sql`for update` : sql`for share`
  await sql`select 1 from approvals where client_id = ${clientId} and customer_id = ${customerId} ${lock}`
}
