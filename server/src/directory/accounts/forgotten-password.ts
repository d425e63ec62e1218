import { recordAudit } from '../../events/audit.ts'
import { queueMail } from '../../events/mail/mail-queue.ts'
import { transaction } from '../../platform/database/database.ts'
import { inEvenTime } from '../../platform/even-time.ts'
import { askedMailLimits, lifetimes } from '../../platform/own-limits.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { digest, mintSecret } from '../../platform/secrets/secrets.ts'
import type { Context } from '../context.ts'
import { insertPasswordReset } from '../store/links-sql.ts'
import { findUser, findUserByEmail, lockUser } from '../store/users-sql.ts'
import { takeWithinHour } from './hourly-limits.ts'
import { linkPath } from './links.ts'
import { homeOf } from './mails/home.ts'
import { forgottenPasswordMail } from './mails/password-mails.ts'
import type { RequestSource } from './sign-in-events.ts'

/** Several times what the work takes, whether or not there is an account. */
const intervalMilliseconds = 300

interface Asked {
  email: string
  /** What counts as one caller. */
  address: string
  host: string
  from: RequestSource
}

/** The verdict, and the time it takes, depend on the caller alone, never on the account. */
export async function askForNewPassword(context: Context, asked: Asked): Promise<'done' | 'too_many'> {
  return await inEvenTime(intervalMilliseconds, async () => {
    const { forgottenPasswordsPerAddress, forgottenPasswordsPerAccount } = askedMailLimits
    const ofAddress = { of: ['forgotten passwords of address', asked.address], max: forgottenPasswordsPerAddress }
    if (!(await takeWithinHour(context, ofAddress))) return 'too_many'
    const account = await findUserByEmail(context.sql, asked.email)
    const who = account?.id ?? asked.email.toLowerCase()
    const ofAccount = { of: ['forgotten passwords of', who], max: forgottenPasswordsPerAccount }
    if ((await takeWithinHour(context, ofAccount)) && account) await sendLink(context, account.id, asked)
    return 'done'
  })
}

async function sendLink(context: Context, userId: string, { email, host, from }: Asked): Promise<void> {
  const at = context.now()
  const until = new Date(at.getTime() + lifetimes.forgottenPasswordMilliseconds)
  const secret = mintSecret('one_time_link')
  await transaction(context.sql, async (sql) => {
    await lockUser(sql, userId)
    const user = (await findUser(sql, userId))!
    // Changed, or released, meanwhile.
    if (user.email.toLowerCase() !== email.toLowerCase()) return
    const maker = { maker_kind: 'self', maker_id: userId, issued_by: null, customer_id: null } as const
    const dates = { created_at: at, expires_at: until }
    await insertPasswordReset(sql, { id: newId(), digest: digest(secret), user_id: userId, ...maker, ...dates })
    const details = { user_id: userId, ...from }
    await recordAudit(sql, { type: 'password.reset_link_made', at, actor: { kind: 'visitor' }, details })
    const home = await homeOf(context, sql, userId, host)
    const link = `${home.origin}${linkPath}/${secret}`
    await queueMail(context, sql, [forgottenPasswordMail(user, home, link, until)])
  })
}
