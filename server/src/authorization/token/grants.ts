import { revokeLinksForCustomers } from '../../directory/accounts/revoked-links.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { queueEvent } from '../../events/outbox.ts'
import type { Sql } from '../../platform/database/sql.ts'
import * as store from '../store/grants.ts'

export type { RevokedGrant } from '../store/grants.ts'

/** Why a grant ended: kept with it, and told in its audit event. */
export type RevocationCause =
  | 'revoked_by_application'
  | 'refresh_token_replayed'
  | 'approval_withdrawn'
  | 'application_disabled'
  | 'policy_narrowed'

export interface Revocation {
  at: Date
  actor: Actor
  because: RevocationCause
}

/** Ends one grant, every token and pending code of it, whoever signed in. False when it had ended before. */
export async function revokeGrant(sql: Sql, grantId: string, { at, actor, because }: Revocation): Promise<boolean> {
  const grant = await store.revokeGrant(sql, grantId, at, because)
  if (!grant) return false
  await endInvitations(sql, [grant], { at, actor, because })
  await tell(sql, [grant], { at, actor, because })
  return true
}

/** Ends every grant of an application in one statement; they stay ended when it is enabled again. Answers how many. */
export async function revokeGrantsOfApplication(
  sql: Sql,
  clientId: string,
  { at, actor, because }: Revocation,
): Promise<number> {
  const grants = await store.revokeGrantsOfApplication(sql, clientId, at, because)
  await endInvitations(sql, grants, { at, actor, because })
  // In slices: an insert of rows takes at most 65,535 parameters.
  for (let from = 0; from < grants.length; from += 1_000) {
    await tell(sql, grants.slice(from, from + 1_000), { at, actor, because })
  }
  return grants.length
}

/** The record, and the word to the partner. */
async function tell(sql: Sql, grants: store.RevokedGrant[], { at, actor, because }: Revocation): Promise<void> {
  await recordAudit(
    sql,
    ...grants.map((grant) => ({
      type: 'grant.revoked',
      at,
      actor,
      application_id: grant.client_id,
      customer_id: grant.customer_id,
      details: { grant_id: grant.id, because },
    })),
  )
  await queueEvent(
    sql,
    ...grants.map(({ client_id, customer_id }) => ({
      type: 'grant.revoked' as const,
      application_id: client_id,
      at,
      data: { client_id, org_id: customer_id, reason: because },
    })),
  )
}

/** People the application invited with its tokens and who have not joined yet: its right to invite them ends with the grant. */
async function endInvitations(sql: Sql, grants: store.RevokedGrant[], { at, actor }: Revocation): Promise<void> {
  const [first] = grants
  if (!first) return
  const customerIds = grants.map(({ customer_id }) => customer_id)
  await revokeLinksForCustomers(sql, { kind: 'application', id: first.client_id }, customerIds, { at, actor })
}

/** True while the grant is not revoked; it then stays so until the transaction ends. */
export async function holdGrant(sql: Sql, grantId: string): Promise<boolean> {
  return await store.holdGrant(sql, grantId)
}

/** How many customers an application is connected to now. */
export async function countActiveGrants(sql: Sql, clientId: string): Promise<number> {
  return await store.countActiveGrants(sql, clientId)
}
