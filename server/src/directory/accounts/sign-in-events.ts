import type { Context } from '../../context.ts'
import { recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { deleteSession, deleteSessionsOf } from '../store/sessions.ts'
import type { Session } from './sessions.ts'

/** Where a person, or someone who pretends to be one, came from. A type, since it is written into the details. */
export type CameFrom = {
  address: string
  user_agent: string | null
}

/** Wrong sign-ins that are recorded per minute: of one account, and of all names that no account has. */
export const recordedFailures = { ofAccount: 60, ofNobody: 300 } as const

const longestUserAgent = 256

/** Bounded: both are the caller's to choose, and are kept for as long as the audit log. */
export function cameFrom({ ip, headers }: { ip: string; headers: { 'user-agent'?: string | undefined } }): CameFrom {
  return { address: ip.slice(0, 64), user_agent: headers['user-agent']?.slice(0, longestUserAgent) ?? null }
}

/** In the transaction that opens the session. */
export async function recordSignIn(
  context: Context,
  sql: Sql,
  userId: string,
  from: CameFrom & { with: 'password' | 'one_time_link' },
): Promise<void> {
  const actor = { kind: 'user', id: userId } as const
  await recordAudit(sql, { type: 'session.signed_in', at: context.now(), actor, details: from })
}

export interface FailedSignIn {
  /** Null where no account has the email; what was typed is not kept, since people type passwords there too. */
  user_id: string | null
  verdict: 'wrong' | 'too_many'
  from: CameFrom
  /** Set where a signed-in person gave a wrong current password. */
  changing_password?: boolean
}

/**
 * Bounded, so that a stranger cannot fill the log: what is refused unseen is recorded once per minute and address, and
 * wrong ones as often as `recordedFailures` allows. Names that nobody has use up no account's share.
 */
export async function recordFailedSignIn(context: Context, failed: FailedSignIn): Promise<void> {
  const { user_id, verdict, from } = failed
  const [key, max] =
    verdict === 'too_many'
      ? [`recorded refused sign-ins ${from.address}`, 1]
      : user_id
        ? [`recorded wrong sign-ins ${user_id}`, recordedFailures.ofAccount]
        : ['recorded wrong sign-ins of nobody', recordedFailures.ofNobody]
  if (!(await context.limits.take(key, max))) return
  const because = verdict === 'too_many' ? 'too_many_attempts' : user_id ? 'wrong_password' : 'unknown_account'
  await recordAudit(context.sql, {
    type: failed.changing_password ? 'user.password_change_failed' : 'session.sign_in_failed',
    at: context.now(),
    actor: { kind: 'visitor' },
    details: { because, ...(user_id ? { user_id } : {}), ...from },
  })
}

export async function signOut(context: Context, session: Session, from: CameFrom): Promise<void> {
  await transaction(context.sql, async (sql) => {
    await deleteSession(sql, session.digest)
    const actor = { kind: 'user', id: session.user_id } as const
    await recordAudit(sql, { type: 'session.signed_out', at: context.now(), actor, details: from })
  })
}

export async function signOutEverywhere(context: Context, session: Session, from: CameFrom): Promise<void> {
  await transaction(context.sql, async (sql) => {
    const sessions = await deleteSessionsOf(sql, session.user_id)
    const actor = { kind: 'user', id: session.user_id } as const
    const details = { sessions, ...from }
    await recordAudit(sql, { type: 'session.signed_out_everywhere', at: context.now(), actor, details })
  })
}
