import type { Context } from '../../context.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { notFound } from '../../platform/refusal.ts'
import { spendPasswordResets } from '../store/links.ts'
import * as store from '../store/users.ts'
import { endSessionsOf } from './sessions.ts'

export type { User } from '../store/users.ts'

/** Everyone, whatever they belong to: for the operator. */
export async function listUsers(
  context: Context,
  request: PageRequest & { email?: string },
): Promise<Page<store.User>> {
  if (request.email !== undefined) {
    const user = await store.findUserByEmail(context.sql, request.email)
    return { items: user ? [user] : [], next: null }
  }
  const range = pageRange(request)
  return toPage(await store.listUsers(context.sql, range), range, ({ id }) => id)
}

export async function getUser(context: Context, id: string): Promise<store.User> {
  const user = await store.findUser(context.sql, id)
  if (!user) throw notFound('user')
  return user
}

/**
 * For an account whose email belongs to somebody else: without a mailer nothing proves an email, so whoever opens the
 * first link for it has the account. Nobody can sign in to that account afterwards, and the email can be invited anew.
 */
export async function releaseEmail(context: Context, actor: Actor, id: string): Promise<store.User> {
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    const email = await store.releaseEmail(sql, id)
    if (email === undefined) throw notFound('user')
    await spendPasswordResets(sql, id, at)
    await endSessionsOf(sql, id)
    await recordAudit(sql, { type: 'user.email_released', at, actor, details: { user_id: id, email } })
    return (await store.findUser(sql, id))!
  })
}
