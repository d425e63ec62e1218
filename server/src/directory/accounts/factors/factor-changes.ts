import { recordAudit } from '../../../events/audit.ts'
import { transaction } from '../../../platform/database/database.ts'
import type { Sql } from '../../../platform/database/sql.ts'
import type { Context } from '../../context.ts'
import { lastFactorProblem } from '../../organization/last-factor.ts'
import * as store from '../../store/factors-sql.ts'
import { deletePasskey } from '../../store/passkeys-sql.ts'
import { deleteOtherSessions, setProvedAt } from '../../store/sessions-sql.ts'
import { findUser, lockUser } from '../../store/users-sql.ts'
import type { AddedFactor, FactorChange, RemovedFactor } from '../mails/factor-change-mail.ts'
import { hasFreshProof } from '../proof.ts'
import { holdSession, type Session } from '../sessions.ts'
import type { RequestSource } from '../sign-in-events.ts'
import { mailFactorChange } from './factor-mails.ts'
import { hasSecondFactor } from './factors.ts'
import { replaceRecoveryCodes } from './recovery-codes.ts'

export interface ChangedBy {
  session: Session
  from: RequestSource
}

/**
 * The one way to change factors (CVE-2026-3429): with a fresh proof only, the account locked and the session held, so that a
 * session that was ended by a change at the same moment cannot make another.
 */
export async function changeFactors<Outcome>(
  context: Context,
  { session }: ChangedBy,
  change: (sql: Sql) => Promise<Outcome>,
): Promise<Outcome | { verdict: 'proof_needed' }> {
  const proofNeeded = { verdict: 'proof_needed' } as const
  if (!hasFreshProof(session, context.now())) return proofNeeded
  return await transaction(context.sql, async (sql) => {
    await lockUser(sql, session.user_id)
    return (await holdSession(sql, session)) ? await change(sql) : proofNeeded
  })
}

/** With mail, the email is verified first: a mailbox removes no factor, so nobody may add one to the email of others (decision 6.58). */
export async function mustVerifyFirst(context: Context, userId: string, sql: Sql = context.sql): Promise<boolean> {
  return context.mail.enabled && !(await findUser(sql, userId))?.email_verified
}

/** As `changeFactors`, for one more. */
export async function addFactor<Outcome>(context: Context, by: ChangedBy, add: (sql: Sql) => Promise<Outcome>) {
  return await changeFactors(context, by, async (sql) => {
    if (await mustVerifyFirst(context, by.session.user_id, sql)) return { verdict: 'unverified' } as const
    return await add(sql)
  })
}

/** After a factor was added: with the first one come recovery codes, and sessions opened without it end. */
export async function settleAddedFactor(
  context: Context,
  sql: Sql,
  by: ChangedBy,
  added: AddedFactor,
): Promise<string[] | null> {
  const { session } = by
  const { passkey_domains, totp, recovery_codes_left } = await store.findFactors(sql, session.user_id)
  const isFirst = passkey_domains.length + (totp ? 1 : 0) === 1
  const ended = isFirst ? await deleteOtherSessions(sql, session.user_id, session.digest) : 0
  // Whoever has just shown that it works has presented it in this session.
  const methods = added.change === 'user.totp_enabled' ? ['otp', 'mfa'] : ['user', 'mfa']
  await setProvedAt(sql, session.digest, context.now(), methods)
  await recordFactorChange(context, sql, by, added, { ended_sessions: ended })
  return recovery_codes_left === 0 || isFirst ? await replaceRecoveryCodes(context, sql, session.user_id) : null
}

export type Removal = { verdict: 'removed' } | { verdict: 'unknown' } | { verdict: 'refused'; problem: string }

export async function removePasskey(context: Context, by: ChangedBy, id: string) {
  return await removeFactor(context, by, async (sql) => {
    const removed = await deletePasskey(sql, by.session.user_id, id)
    return removed ? { change: 'user.passkey_removed', name: removed.name } : null
  })
}

export async function removeTotp(context: Context, by: ChangedBy) {
  return await removeFactor(context, by, async (sql) =>
    (await store.deleteTotp(sql, by.session.user_id)) ? { change: 'user.totp_removed' } : null,
  )
}

/** Thrown, not returned, so that the factor stays. */
class RemovalRefused extends Error {}

/** Ends the other sessions: what was removed may be lost or stolen, and with it a browser. */
async function removeFactor(
  context: Context,
  by: ChangedBy,
  remove: (sql: Sql) => Promise<RemovedFactor | null>,
): Promise<Removal | { verdict: 'proof_needed' }> {
  const { session } = by
  return await changeFactors<Removal>(context, by, async (sql) => {
    const change = await remove(sql)
    if (!change) return { verdict: 'unknown' }
    if (!hasSecondFactor(await store.findFactors(sql, session.user_id))) {
      const problem = await lastFactorProblem(sql, session.user_id)
      if (problem !== null) throw new RemovalRefused(problem)
      await store.deleteRecoveryCodes(sql, session.user_id)
    }
    const ended = await deleteOtherSessions(sql, session.user_id, session.digest)
    await recordFactorChange(context, sql, by, change, { ended_sessions: ended })
    return { verdict: 'removed' }
  }).catch((error) => {
    if (error instanceof RemovalRefused) return { verdict: 'refused', problem: error.message }
    throw error
  })
}

export async function createRecoveryCodes(context: Context, by: ChangedBy) {
  return await changeFactors(context, by, async (sql) => {
    if (!hasSecondFactor(await store.findFactors(sql, by.session.user_id))) return { verdict: 'unknown' } as const
    const codes = await replaceRecoveryCodes(context, sql, by.session.user_id)
    await recordFactorChange(context, sql, by, { change: 'user.recovery_codes_created' })
    return { verdict: 'created', codes } as const
  })
}

async function recordFactorChange(
  context: Context,
  sql: Sql,
  { session, from }: ChangedBy,
  change: FactorChange,
  more: Record<string, number> = {},
): Promise<void> {
  const actor = { kind: 'user', id: session.user_id } as const
  const details = { ...('name' in change ? { name: change.name } : {}), ...more, ...from }
  await recordAudit(sql, { type: change.change, at: context.now(), actor, details })
  await mailFactorChange(context, sql, session.user_id, change)
}
