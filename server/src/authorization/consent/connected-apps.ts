import { withdrawCommands } from '../../directory/command-withdrawals.ts'
import type { PermittedSpace } from '../../directory/organization/named-reach.ts'
import { findSpacePaths, releaseSpaces } from '../../directory/organization/spaces.ts'
import { applicationLogoPath } from '../../directory/partners/logo.ts'
import type { CredentialPermissions, RequestedPermissions } from '../../directory/permissions.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { queueEvent } from '../../events/outbox.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { found, invalid, notFound } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import * as store from '../store/approvals.ts'
import { findActiveGrant } from '../store/grants-sql.ts'
import { revokeGrant } from '../token/grants.ts'
import { changeReach } from './change-reach.ts'
import { policyColumns, refuseUnknownGroup, type SignInPolicy } from './sign-in-policy.ts'

export { findApprover as approverOf } from '../store/approvals.ts'

interface Person {
  id: string
  name: string
  email: string
}

/** An application that the customer approved, whether or not it has a live token. */
export interface ConnectedApp {
  client_id: string
  name: string
  home_page: string | null
  /** The path of its logo. */
  logo: string | null
  partner_name: string
  /** Null: none is verified. */
  partner_domain: string | null
  enabled: boolean
  policy: { kind: string; group_id: string | null; group_name: string | null }
  /** What it may do, and in which spaces; null: everything, everywhere. */
  permissions: CredentialPermissions | null
  within: PermittedSpace[] | null
  /** What it asks for now. */
  requested_permissions: RequestedPermissions | null
  approved_at: Date
  approved_by: Person | null
  /** When its present grant was created; null while it has none. */
  connected_at: Date | null
  last_used_at: Date | null
  /** How many people connected it under the present grant, and the latest of them. */
  user_count: number
  users: (Person & { connected_at: Date })[]
}

/** What the ETag covers: the use of an app must not look like a change of it. */
export function changeable({ client_id, policy, permissions, within }: ConnectedApp): object {
  return { client_id, policy, permissions, within: within?.map(({ id }) => id) ?? null }
}

const maxUsers = 20

export async function listConnectedApps(
  context: Context,
  customerId: string,
  request: PageRequest,
): Promise<Page<ConnectedApp>> {
  const range = pageRange(request)
  const rows = await store.listConnectedApps(context.sql, customerId, range)
  return toPage(await describe(context.sql, customerId, rows), range, ({ client_id }) => client_id)
}

export async function getConnectedApp(sql: Sql, customerId: string, clientId: string): Promise<ConnectedApp> {
  const row = found(await store.findConnectedApp(sql, customerId, clientId), 'connected app')
  return (await describe(sql, customerId, [row]))[0]!
}

export interface ApprovalTarget {
  customer_id: string
  client_id: string
  ifMatch?: string | undefined
}

/** What is left out stays. */
export interface ApprovalChange {
  policy?: SignInPolicy | undefined
  permissions?: CredentialPermissions | null | undefined
  within?: string[] | null | undefined
  /** Tokens belong to the grant and stay when a policy narrows. This revokes them; those admitted connect again. */
  revoke_tokens?: boolean | undefined
}

export async function changeApproval(
  context: Context,
  actor: Actor,
  { customer_id, client_id, ifMatch }: ApprovalTarget,
  { policy, permissions, within, revoke_tokens = false }: ApprovalChange,
): Promise<ConnectedApp & { tokens: 'stay' | 'revoked' | 'none' }> {
  const changesReach = permissions !== undefined || within !== undefined
  if (!policy && !changesReach) throw invalid({ field: 'body', message: 'must have policy, permissions or within' })
  const at = context.now()
  const about = { at, actor, customer_id, client_id }
  return await transaction(context.sql, async (sql) => {
    if (!(await store.lockApproval(sql, customer_id, client_id))) throw notFound('connected app')
    const before = found(await store.findConnectedApp(sql, customer_id, client_id), 'connected app')
    requireMatch(ifMatch, changeable((await describe(sql, customer_id, [before]))[0]!))
    if (policy) await changePolicy(sql, about, policy, revoke_tokens)
    if (changesReach) {
      const after = {
        permissions: permissions === undefined ? before.permissions : permissions,
        within: within === undefined ? before.within : within,
      }
      await changeReach(sql, { ...about, requested_permissions: before.requested_permissions, before, after })
    }
    const grantId = await findActiveGrant(sql, client_id, customer_id)
    const revoked =
      revoke_tokens && grantId !== null && (await revokeGrant(sql, grantId, { at, actor, because: 'policy_narrowed' }))
    const app = await getConnectedApp(sql, customer_id, client_id)
    return { ...app, tokens: revoked ? 'revoked' : grantId === null ? 'none' : 'stay' }
  })
}

async function changePolicy(
  sql: Sql,
  { at, actor, customer_id, client_id }: { at: Date; actor: Actor; customer_id: string; client_id: string },
  policy: SignInPolicy,
  revoke_tokens: boolean,
): Promise<void> {
  const columns = policyColumns(policy)
  await store.updatePolicy(sql, { customer_id, client_id, ...columns }).catch(refuseUnknownGroup)
  const details = { ...columns, revoke_tokens }
  await recordAudit(sql, { type: 'approval.changed', at, actor, application_id: client_id, customer_id, details })
}

export interface Withdrawal {
  client_id: string
  /** False when there was no grant to revoke: it was revoked before. */
  grant_revoked: boolean
  spaces_released: number
}

/** Contract 2.3 and 3: only this withdraws the approval, and it revokes every token of the application here. */
export async function withdrawApproval(
  context: Context,
  actor: Actor,
  customerId: string,
  clientId: string,
): Promise<Withdrawal> {
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    // The approval first: a consent in progress holds a lock on it, and its grant is visible to the next statement.
    const withdrawn = await store.deleteApproval(sql, customerId, clientId)
    if (!withdrawn) throw notFound('connected app')
    const grantId = await findActiveGrant(sql, clientId, customerId)
    const revocation = { at, actor, because: 'approval_withdrawn' } as const
    const grantRevoked = grantId !== null && (await revokeGrant(sql, grantId, revocation))
    await withdrawCommands(sql, { client_id: clientId, customer_id: customerId, actor }, withdrawn)
    const spacesReleased = await releaseSpaces(sql, customerId, clientId)
    const details = { spaces_released: spacesReleased }
    const about = { application_id: clientId, customer_id: customerId }
    await recordAudit(sql, { type: 'approval.withdrawn', at, actor, ...about, details })
    const data = { client_id: clientId, org_id: customerId }
    await queueEvent(sql, { partner_id: withdrawn.partner_id, type: 'approval.withdrawn', at, data })
    return { client_id: clientId, grant_revoked: grantRevoked, spaces_released: spacesReleased }
  })
}

async function describe(sql: Sql, customerId: string, rows: store.ConnectedRow[]): Promise<ConnectedApp[]> {
  const grantIds = rows.flatMap(({ grant_id }) => grant_id ?? [])
  const users = await store.listConnectedUsers(sql, grantIds, maxUsers)
  const paths = await findSpacePaths(sql, { customer_id: customerId }, [
    ...new Set(rows.flatMap(({ within }) => within ?? [])),
  ])
  // Rooms of the same name are common, and administrators may see the whole tree.
  const named = (id: string) => ({ id, name: paths.get(id)?.join(' / ') ?? null })
  return rows.map((row) => ({
    client_id: row.client_id,
    name: row.name,
    home_page: row.home_page,
    logo: applicationLogoPath(row.client_id, row.logo_version),
    partner_name: row.partner_name,
    partner_domain: row.partner_domain,
    enabled: row.enabled,
    policy: { kind: row.policy, group_id: row.group_id, group_name: row.group_name },
    permissions: row.permissions,
    within: row.within?.map(named) ?? null,
    requested_permissions: row.requested_permissions,
    approved_at: row.approved_at,
    approved_by: row.approved_by
      ? { id: row.approved_by, name: row.approved_by_name!, email: row.approved_by_email! }
      : null,
    connected_at: row.connected_at,
    last_used_at: row.last_used_at,
    user_count: row.user_count,
    users: users.filter(({ grant_id }) => grant_id === row.grant_id).map(({ grant_id: _, ...user }) => user),
  }))
}

/** Whether any customer has approved an application of this partner; not which, that is the customers' own. */
export function isApprovedAnywhere(context: Context, partnerId: string): Promise<boolean> {
  return store.isApprovedAnywhere(context.sql, partnerId)
}
