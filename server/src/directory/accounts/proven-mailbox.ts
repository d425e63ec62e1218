import { recordAudit } from '../../events/audit.ts'
import type { Context } from '../../events/context.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { findSecondFactor } from '../store/factor-policy-sql.ts'
import { findUser } from '../store/users-sql.ts'
import { deleteFactorsOf, setVerifiedEmail } from '../store/verified-emails-sql.ts'

/**
 * In the transaction that sets a password by a link which only the mailbox was sent: its reader owns the email. Codes and
 * half-added apps of before, somebody else may have prepared. A second factor stays, and the email unverified with it: whose
 * it is, the mailbox does not tell (decision 6.58).
 */
export async function proveByMailedLink(context: Context, sql: Sql, userId: string): Promise<void> {
  const user = (await findUser(sql, userId))!
  if (user.email_verified) return
  if ((await findSecondFactor(sql, userId)) !== null) return
  await deleteFactorsOf(sql, userId)
  await setVerifiedEmail(sql, userId, user.email)
  const actor = { kind: 'user', id: userId } as const
  const details = { email: user.email, because: 'password_reset' }
  await recordAudit(sql, { type: 'user.email_verified', at: context.now(), actor, details })
}
