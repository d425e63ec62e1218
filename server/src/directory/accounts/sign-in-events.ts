import { recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import type { Context } from '../context.ts'
import { deleteSession, deleteSessionsOf } from '../store/sessions-sql.ts'
import { cancelOwnFactorReset } from './factor-resets.ts'
import type { Session } from './sessions.ts'

/** Where a sign-in attempt came from. Not an interface, since it is stored as the details of an event. */
export type RequestSource = {
  address: string
  user_agent: string | null
}

/** How many failed sign-ins are recorded per minute: for one account, and for all unknown emails together. */
const recordedFailures = { perAccount: 60, unknownEmails: 300 } as const

const maxUserAgentCharacters = 256

/** Cut to a length, since the caller chooses both and they stay in the audit log. */
export function sourceOf({
  ip,
  headers,
}: {
  ip: string
  headers: { 'user-agent'?: string | undefined }
}): RequestSource {
  return { address: ip.slice(0, 64), user_agent: headers['user-agent']?.slice(0, maxUserAgentCharacters) ?? null }
}

/** What came first; a second factor may have followed. */
export type SignedInWith = 'password' | 'one_time_link' | 'passkey'

/** In the transaction that opens the session. */
export async function recordSignIn(
  context: Context,
  sql: Sql,
  userId: string,
  from: RequestSource & { with: SignedInWith; methods: string[]; second_factor?: string },
): Promise<void> {
  const actor = { kind: 'user', id: userId } as const
  await recordAudit(sql, { type: 'session.signed_in', at: context.now(), actor, details: from })
  // Whoever presents a second factor has not lost it.
  if (from.methods.includes('mfa')) await cancelOwnFactorReset(context, sql, userId)
}

const failedTypes = {
  sign_in: 'session.sign_in_failed',
  password_change: 'user.password_change_failed',
  proof: 'session.proof_failed',
  second_factor: 'session.second_factor_failed',
} as const

interface FailedSignIn {
  /** Null for an unknown email, which is not recorded: people type passwords there by mistake. */
  user_id: string | null
  verdict: 'wrong' | 'too_many'
  from: RequestSource
  /** Set when it was not the first step of signing in. */
  during?: 'password_change' | 'proof' | 'second_factor'
  /** What was wrong, unless it was the password. */
  wrong?: 'totp' | 'recovery_code' | 'passkey'
}

/**
 * Limited, so that nobody can fill the log: attempts over a limit are recorded once per minute and address, wrong ones as
 * often as `recordedFailures` allows. Unknown emails use up no account's share.
 */
export async function recordFailedSignIn(context: Context, failed: FailedSignIn): Promise<void> {
  const { user_id, verdict, from } = failed
  const [key, max] =
    verdict === 'too_many'
      ? [`recorded refused sign-ins ${from.address}`, 1]
      : user_id
        ? [`recorded wrong sign-ins ${user_id}`, recordedFailures.perAccount]
        : ['recorded wrong sign-ins of nobody', recordedFailures.unknownEmails]
  if (!(await context.limits.take(key, max))) return
  const because = verdict === 'too_many' ? 'too_many_attempts' : causeOf(failed)
  await recordAudit(context.sql, {
    type: failedTypes[failed.during ?? 'sign_in'],
    at: context.now(),
    actor: { kind: 'visitor' },
    details: { because, ...(user_id ? { user_id } : {}), ...from },
  })
}

function causeOf({ user_id, wrong }: FailedSignIn): string {
  if (wrong) return `wrong_${wrong}`
  return user_id ? 'wrong_password' : 'unknown_account'
}

export async function signOut(context: Context, session: Session, from: RequestSource): Promise<void> {
  await transaction(context.sql, async (sql) => {
    await deleteSession(sql, session.digest)
    const actor = { kind: 'user', id: session.user_id } as const
    await recordAudit(sql, { type: 'session.signed_out', at: context.now(), actor, details: from })
  })
}

export async function signOutEverywhere(context: Context, session: Session, from: RequestSource): Promise<void> {
  await transaction(context.sql, async (sql) => {
    const sessions = await deleteSessionsOf(sql, session.user_id)
    const actor = { kind: 'user', id: session.user_id } as const
    const details = { sessions, ...from }
    await recordAudit(sql, { type: 'session.signed_out_everywhere', at: context.now(), actor, details })
  })
}
