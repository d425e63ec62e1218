import type { PageRange, Sql } from '../../platform/database/sql.ts'
import type { CredentialPermissions, RequestedPermissions } from './permission-columns.ts'

/**
 * Until the transaction ends, nobody else approves the application for this customer or asks for it. An approval that does
 * not exist yet has no row to lock.
 */
export async function lockDecision(sql: Sql, clientId: string, customerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`approval ${clientId} ${customerId}`}, 0))`
}

export type Policy = 'everyone' | 'administrators' | 'group'

/** True when the customer had not approved before; an existing approval keeps its policy and its approver. */
export async function insertApproval(
  sql: Sql,
  approval: { client_id: string; customer_id: string; approved_by: string; approved_at: Date } & PolicyColumns &
    ReachColumns,
): Promise<boolean> {
  const { client_id, customer_id, policy, group_id, approved_by, approved_at, permissions, within, requested } =
    approval
  const { count } = await sql`
    insert into approvals
      (client_id, customer_id, policy, group_id, approved_by, approved_at, permissions, within, requested)
    values (${client_id}, ${customer_id}, ${policy}, ${group_id}, ${approved_by}, ${approved_at},
      ${jsonOf(permissions)}::jsonb, ${within}::uuid[], ${jsonOf(requested)}::jsonb)
    on conflict (client_id, customer_id) do nothing`
  return count === 1
}

/** What the approval lets the application do, and what was asked for when that was decided. */
export interface ReachColumns {
  permissions: CredentialPermissions | null
  within: string[] | null
  requested: CredentialPermissions | null
}

const jsonOf = (value: object | null) => value && JSON.stringify(value)

export async function updateReach(
  sql: Sql,
  { client_id, customer_id, permissions, within, requested }: { client_id: string; customer_id: string } & ReachColumns,
): Promise<void> {
  await sql`
    update approvals set permissions = ${jsonOf(permissions)}::jsonb, within = ${within}::uuid[],
      requested = ${jsonOf(requested)}::jsonb
    where customer_id = ${customer_id} and client_id = ${client_id}`
}

/** Who approved the application for this customer. */
export async function findApprover(sql: Sql, clientId: string, customerId: string): Promise<string | null> {
  const [row] = await sql<{ approved_by: string | null }[]>`
    select approved_by from approvals where client_id = ${clientId} and customer_id = ${customerId}`
  return row?.approved_by ?? null
}

export interface ConnectedRow {
  client_id: string
  name: string
  home_page: string | null
  logo_version: string | null
  enabled: boolean
  partner_name: string
  partner_domain: string | null
  policy: Policy
  group_id: string | null
  group_name: string | null
  permissions: CredentialPermissions | null
  within: string[] | null
  requested_permissions: RequestedPermissions | null
  approved_at: Date
  approved_by: string | null
  approved_by_name: string | null
  approved_by_email: string | null
  grant_id: string | null
  connected_at: Date | null
  last_used_at: Date | null
  user_count: number
}

/** `last_used_at` counts revoked grants too: the application did use them. */
const select = (sql: Sql) => sql`
  select ap.client_id, a.name, a.home_page, a.logo_version, a.enabled, p.name as partner_name,
    p.verified_domain as partner_domain, ap.policy, ap.group_id, g.name as group_name,
    ap.permissions, ap.within, a.requested_permissions, ap.approved_at, ap.approved_by, u.name as approved_by_name, u.email as approved_by_email,
    gr.id as grant_id, gr.created_at as connected_at,
    (select max(last_used_at) from grants used
     where used.customer_id = ap.customer_id and used.client_id = ap.client_id) as last_used_at,
    (select count(*)::int from grant_users where grant_id = gr.id) as user_count
  from approvals ap
  join directory_applications a on a.client_id = ap.client_id
  join directory_partners p on p.id = a.partner_id
  left join directory_groups g on g.id = ap.group_id
  left join directory_users u on u.id = ap.approved_by
  left join grants gr on gr.client_id = ap.client_id and gr.customer_id = ap.customer_id and gr.revoked_at is null`

export async function listConnectedApps(
  sql: Sql,
  customerId: string,
  { after, limit }: PageRange,
): Promise<ConnectedRow[]> {
  return await sql<ConnectedRow[]>`
    ${select(sql)}
    where ap.customer_id = ${customerId} and (${after}::uuid is null or ap.client_id > ${after})
    order by ap.client_id limit ${limit}`
}

export async function findConnectedApp(
  sql: Sql,
  customerId: string,
  clientId: string,
): Promise<ConnectedRow | undefined> {
  const [row] = await sql<ConnectedRow[]>`
    ${select(sql)} where ap.customer_id = ${customerId} and ap.client_id = ${clientId}`
  return row
}

export interface ConnectedUser {
  grant_id: string
  id: string
  name: string
  email: string
  connected_at: Date
}

/** The `max` latest users per grant. */
export async function listConnectedUsers(sql: Sql, grantIds: string[], max: number): Promise<ConnectedUser[]> {
  return await sql<ConnectedUser[]>`
    select grants.id as grant_id, u.id, u.name, u.email, connected.connected_at
    from unnest(${grantIds}::uuid[]) as grants (id)
    cross join lateral (
      select user_id, connected_at from grant_users where grant_id = grants.id
      order by connected_at desc, user_id limit ${max}) connected
    join directory_users u on u.id = connected.user_id
    order by connected.connected_at desc, u.id`
}

export async function lockApproval(sql: Sql, customerId: string, clientId: string): Promise<boolean> {
  const rows = await sql`
    select 1 from approvals where customer_id = ${customerId} and client_id = ${clientId} for update`
  return rows.length === 1
}

/** Null when there is none. Whoever withdraws or changes it waits for the end of the transaction. */
export async function shareApproval(sql: Sql, customerId: string, clientId: string): Promise<Approved | null> {
  const [row] = await sql<Approved[]>`
    select permissions, within from approvals where customer_id = ${customerId} and client_id = ${clientId} for share`
  return row ?? null
}

interface Approved {
  permissions: CredentialPermissions | null
  within: string[] | null
}

export async function updatePolicy(
  sql: Sql,
  { customer_id, client_id, policy, group_id }: { customer_id: string; client_id: string } & PolicyColumns,
): Promise<void> {
  await sql`
    update approvals set policy = ${policy}, group_id = ${group_id}
    where customer_id = ${customer_id} and client_id = ${client_id}`
}

export interface PolicyColumns {
  policy: Policy
  group_id: string | null
}

export async function deleteApproval(
  sql: Sql,
  customerId: string,
  clientId: string,
): Promise<({ partner_id: string } & Approved) | undefined> {
  const [row] = await sql<({ partner_id: string } & Approved)[]>`
    delete from approvals where customer_id = ${customerId} and client_id = ${clientId}
    returning permissions, within, (select a.partner_id from directory_applications a where a.client_id = approvals.client_id) as partner_id`
  return row
}

/** Whether any customer has approved an application of this partner. */
export async function isApprovedAnywhere(sql: Sql, partnerId: string): Promise<boolean> {
  const [row] = await sql<{ approved: boolean }[]>`
    select exists (
      select 1 from directory_applications a join approvals on approvals.client_id = a.client_id
      where a.partner_id = ${partnerId}) as approved`
  return row!.approved
}

interface ApprovedPermissions {
  id: string
  name: string
  active: boolean
  permissions: Record<string, string> | null
  within: string[] | null
}

/** What was approved for each application, or for one; with `above`, for somewhere among these spaces or everywhere. */
export async function listApprovedPermissions(
  sql: Sql,
  customerId: string,
  { id, above }: { id: string | undefined; above: readonly string[] | undefined },
  { after, limit }: PageRange,
): Promise<ApprovedPermissions[]> {
  const there = above ? sql`(ap.within is null or ap.within && ${[...above]}::uuid[])` : sql`true`
  return await sql<ApprovedPermissions[]>`
    select ap.client_id as id, a.name, a.enabled as active, ap.permissions, ap.within
    from approvals ap join directory_applications a on a.client_id = ap.client_id
    where ap.customer_id = ${customerId} and ap.client_id > ${after} and ${there}
      ${id ? sql`and ap.client_id = ${id}` : sql``}
    order by ap.client_id limit ${limit}`
}
