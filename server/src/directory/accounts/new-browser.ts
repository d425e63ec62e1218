import { queueMail } from '../../events/mail/mail-queue.ts'
import type { Sql } from '../../platform/database/sql.ts'
import type { Context } from '../context.ts'
import { findUser } from '../store/users-sql.ts'
import { setFirstSignIn } from '../store/verified-emails-sql.ts'
import { browserName } from './browser-name.ts'
import { homeOf } from './mails/home.ts'
import { newBrowserMail } from './mails/sign-in-mails.ts'
import type { RequestSource } from './sign-in-events.ts'

interface SignIn {
  user_id: string
  host: string
  from: RequestSource
}

/** In the transaction that opens a session in a browser without the cookie of one that is known. */
export async function tellOfNewBrowser(context: Context, sql: Sql, { user_id, host, from }: SignIn): Promise<void> {
  const at = context.now()
  if (await setFirstSignIn(sql, user_id, at)) return
  const user = (await findUser(sql, user_id))!
  const home = await homeOf(context, sql, user_id, host)
  const seen = { browser: browserName(from.user_agent), address: from.address, at }
  await queueMail(context, sql, [newBrowserMail(user, home, seen)])
}
