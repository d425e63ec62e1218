import type { Sql } from '../../platform/database/sql.ts'
import type { Context } from '../context.ts'
import type { Account } from '../store/sign-in-sql.ts'
import { knownBrowserCookie } from './known-browser.ts'
import { type Session, sessionCookie, startSession } from './sessions.ts'
import type { RequestSource } from './sign-in-events.ts'

export interface Opening {
  host: string
  from: RequestSource
  /** What was presented: amr of the id_token. */
  methods: string[]
  instead_of?: Session
}

/** For `Set-Cookie`; null when the session was refused (`startSession`). */
export async function openSession(
  context: Context,
  sql: Sql,
  account: Account,
  { host, from, methods, instead_of }: Opening,
): Promise<string[] | null> {
  const { id: user_id, password_hash } = account
  const opened = { user_id, host, password_hash, methods, user_agent: from.user_agent, instead_of }
  const secret = await startSession(context, sql, opened)
  return secret === null ? null : [sessionCookie(context, secret), knownBrowserCookie(context, account)]
}
