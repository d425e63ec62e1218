import type { Context } from '../context.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../platform/http/pagination.ts'
import { notFound } from '../platform/refusal.ts'
import * as store from './store/users.ts'

export type { User } from './store/users.ts'

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
