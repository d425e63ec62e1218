import { revokeLinksForCustomers } from '../../directory/accounts/revoked-links.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { queueEvent } from '../../events/outbox.ts'
import type { BaseContext } from '../../platform/context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { digest, isWellFormed } from '../../platform/secrets/secrets.ts'
import * as store from '../store/grants-sql.ts'
import type { Client } from './client-authentication.ts'

export { countActiveGrants, holdGrant } from '../store/grants-sql.ts'

/** Why a grant was revoked: stored with it, and part of its audit event. */
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

/** Revokes a grant with every token and pending code of it, regardless of who signed in. False when it was revoked before. */
export async function revokeGrant(sql: Sql, grantId: string, revocation: Revocation): Promise<boolean> {
  const grant = await store.revokeGrant(sql, grantId, revocation.at, revocation.because)
  if (!grant) return false
  await revokeInvitations(sql, [grant], revocation)
  await recordRevocations(sql, [grant], revocation)
  return true
}

/** Revokes every grant of an application for good (contract 2.1), and returns how many there were. */
export async function revokeGrantsOfApplication(sql: Sql, clientId: string, revocation: Revocation): Promise<number> {
  const grants = await store.revokeGrantsOfApplication(sql, clientId, revocation.at, revocation.because)
  await revokeInvitations(sql, grants, revocation)
  // In slices, because a statement takes at most 65,535 parameters.
  for (let from = 0; from < grants.length; from += 1_000) {
    await recordRevocations(sql, grants.slice(from, from + 1_000), revocation)
  }
  return grants.length
}

/** An audit event and a webhook event per grant. */
async function recordRevocations(
  sql: Sql,
  grants: store.RevokedGrant[],
  { at, actor, because }: Revocation,
): Promise<void> {
  await recordAudit(
    sql,
    ...grants.map((grant) => ({
      type: 'grant.revoked' as const,
      at,
      actor,
      application_id: grant.client_id,
      customer_id: grant.customer_id,
      details: { grant_id: grant.id, because },
    })),
  )
  await queueEvent(
    sql,
    ...grants.map(({ partner_id, client_id, customer_id }) => ({
      type: 'grant.revoked' as const,
      partner_id,
      at,
      data: { client_id, org_id: customer_id, reason: because },
    })),
  )
}

/** The application's right to invite people ends with its grant, and so do its open invitations (decision 6.11). */
async function revokeInvitations(sql: Sql, grants: store.RevokedGrant[], { at, actor }: Revocation): Promise<void> {
  const [first] = grants
  if (!first) return
  const customerIds = grants.map(({ customer_id }) => customer_id)
  await revokeLinksForCustomers(sql, { kind: 'application', id: first.client_id }, customerIds, { at, actor })
}

/**
 * Contract 4.3: a live token of this client revokes its whole grant, while the approval stays. Any other token changes
 * nothing, and the response is the same.
 */
export async function revokeToken(context: BaseContext, client: Client, token: string): Promise<void> {
  if (!isWellFormed('access_token', token) && !isWellFormed('refresh_token', token)) return
  const at = context.now()
  await transaction(context.sql, async (sql) => {
    const grantId = await store.findGrantOfToken(sql, digest(token), client.client_id, at)
    const actor = { kind: 'application', id: client.client_id } as const
    if (grantId) await revokeGrant(sql, grantId, { at, actor, because: 'revoked_by_application' })
  })
}

/** "Last used" is for people to read: the minute is precise enough, and most requests then write nothing. */
const useStaleAfterMilliseconds = 60_000

/** A use recorded before this time is recorded again. */
export function grantUseStaleAt(at: Date): Date {
  return new Date(at.getTime() - useStaleAfterMilliseconds)
}

/** No caller waits for it, and a failure only leaves an older date. */
export function createGrantUseRecorder({ sql, now, log }: BaseContext): (grantId: string) => void {
  const touch = coalesce<string, null>(async (ids) => {
    await store.touchGrants(sql, [...new Set(ids)], now())
    return ids.map(() => null)
  })
  return (grantId) => {
    touch(grantId).catch((error) => log.warn({ err: error }, 'last use of a grant not recorded'))
  }
}
