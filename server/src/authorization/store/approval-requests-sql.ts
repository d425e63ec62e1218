import type { PageRange, Sql } from '../../platform/database/sql.ts'
import type { RequestedPermissions } from './permission-columns.ts'

export type Outcome = 'approved' | 'declined' | 'closed'

export interface NewApprovalRequest {
  id: string
  client_id: string
  customer_id: string
  user_id: string
  note: string | null
  requested_at: Date
}

/** False while an earlier request is open, or was declined after `declinedBefore`. */
export async function insertApprovalRequest(
  sql: Sql,
  request: NewApprovalRequest,
  declinedBefore: Date,
): Promise<boolean> {
  const { count } = await sql`
    insert into approval_requests ${sql(request, 'id', 'client_id', 'customer_id', 'user_id', 'note', 'requested_at')}
    on conflict (customer_id, user_id, client_id) do update set
      id = excluded.id, note = excluded.note, requested_at = excluded.requested_at, outcome = null, decided_at = null
    where approval_requests.outcome in ('approved', 'closed')
      or (approval_requests.outcome = 'declined' and approval_requests.decided_at <= ${declinedBefore})`
  return count === 1
}

export async function countOpenRequestsOf(sql: Sql, customerId: string, userId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from approval_requests
    where customer_id = ${customerId} and user_id = ${userId} and outcome is null`
  return row!.count
}

export interface OpenRequest {
  id: string
  client_id: string
  name: string
  partner_name: string
  partner_domain: string | null
  home_page: string | null
  logo_version: string | null
  note: string | null
  requested_at: Date
  user_id: string
  user_name: string
  user_email: string
}

/** Without those that an approval has overtaken, or whose member is not active at present. */
export async function listOpenRequests(
  sql: Sql,
  customerId: string,
  { after, limit }: PageRange,
): Promise<OpenRequest[]> {
  return await sql<OpenRequest[]>`
    select r.id, r.client_id, a.name, p.name as partner_name, p.verified_domain as partner_domain, a.home_page, a.logo_version, r.note, r.requested_at,
      u.id as user_id, u.name as user_name, u.email as user_email
    from approval_requests r
    join directory_applications a on a.client_id = r.client_id and a.enabled
    join directory_partners p on p.id = a.partner_id
    join directory_memberships m on m.customer_id = r.customer_id and m.user_id = r.user_id and m.active
    join directory_users u on u.id = r.user_id
    where r.customer_id = ${customerId} and r.outcome is null and r.id > ${after}
      and not exists (select 1 from approvals ap where ap.client_id = r.client_id and ap.customer_id = r.customer_id)
    order by r.id limit ${limit}`
}

export interface OwnRequest {
  application_name: string
  home_page: string | null
  customer_name: string
  requested_at: Date
  outcome: Outcome | null
  decided_at: Date | null
}

/** The latest requests of a person. */
export async function listRequestsOf(sql: Sql, userId: string, max: number): Promise<OwnRequest[]> {
  return await sql<OwnRequest[]>`
    select a.name as application_name, a.home_page, c.name as customer_name, r.requested_at, r.outcome, r.decided_at
    from approval_requests r
    join directory_applications a on a.client_id = r.client_id
    join directory_customers c on c.id = r.customer_id
    where r.user_id = ${userId}
    order by r.requested_at desc limit ${max}`
}

export interface RequestedApplication {
  client_id: string
  partner_id: string
  requested_permissions: RequestedPermissions | null
}

/** Of an open request; its application cannot be disabled before the transaction ends. */
export async function lockRequestedApplication(
  sql: Sql,
  customerId: string,
  id: string,
): Promise<RequestedApplication | undefined> {
  const [row] = await sql<RequestedApplication[]>`
    select a.client_id, a.partner_id, a.requested_permissions
    from approval_requests r join directory_applications a on a.client_id = r.client_id
    where r.id = ${id} and r.customer_id = ${customerId} and r.outcome is null and a.enabled
    for share of a`
  return row
}

export async function hasRequest(sql: Sql, customerId: string, id: string): Promise<boolean> {
  const rows = await sql`select 1 from approval_requests where id = ${id} and customer_id = ${customerId}`
  return rows.length === 1
}

/** False when it was decided meanwhile. */
export async function declineRequest(
  sql: Sql,
  customerId: string,
  id: string,
  at: Date,
): Promise<RequestedApplication | undefined> {
  const [row] = await sql<RequestedApplication[]>`
    update approval_requests r set outcome = 'declined', decided_at = ${at}
    from directory_applications a
    where r.id = ${id} and r.customer_id = ${customerId} and r.outcome is null and a.client_id = r.client_id
    returning a.client_id, a.partner_id`
  return row
}

/** Of one customer: an approval decides the requests of everybody. Returns their ids. */
export async function approveRequests(sql: Sql, clientId: string, customerId: string, at: Date): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    update approval_requests set outcome = 'approved', decided_at = ${at}
    where client_id = ${clientId} and customer_id = ${customerId} and outcome is null
    returning id`
  return rows.map(({ id }) => id)
}

export async function closeRequestsOfApplication(sql: Sql, clientId: string, at: Date): Promise<void> {
  await sql`
    update approval_requests set outcome = 'closed', decided_at = ${at}
    where client_id = ${clientId} and outcome is null`
}
