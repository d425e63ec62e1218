import { queueMail } from '../../../events/mail/mail-queue.ts'
import type { Sql } from '../../../platform/database/sql.ts'
import type { Context } from '../../context.ts'
import { findUser } from '../../store/users-sql.ts'
import { type FactorNews, factorChangeMail } from '../mails/factor-change-mail.ts'
import { homeOf } from '../mails/home.ts'

/** In the transaction of the change. Nobody can switch these mails off: they are about security. */
export async function mailFactorChange(context: Context, sql: Sql, userId: string, change: FactorNews): Promise<void> {
  if (!context.mail.enabled) return
  const user = await findUser(sql, userId)
  if (!user) return
  const home = await homeOf(context, sql, userId, null)
  await queueMail(context, sql, [factorChangeMail(user, home, change)])
}
