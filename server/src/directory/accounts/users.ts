import type { Context } from '../../context.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import type { RecordedEvent } from '../../events/audit-events.ts'
import { transaction } from '../../platform/database/database.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { notFound } from '../../platform/refusal.ts'
import { spendPasswordResets } from '../store/links.ts'
import {
  type CustomerMembership,
  listCustomersOf,
  listPartnersOf,
  type PartnerMembership,
} from '../store/memberships.ts'
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

export interface Memberships {
  customers: CustomerMembership[]
  partners: PartnerMembership[]
}

/** Where a person belongs: what the portal offers to go to. */
export async function listMembershipsOf(context: Context, userId: string): Promise<Memberships> {
  const [customers, partners] = await Promise.all([
    listCustomersOf(context.sql, userId),
    listPartnersOf(context.sql, userId),
  ])
  return { customers, partners }
}

type Named = Omit<RecordedEvent, 'actor'> & { actor: RecordedEvent['actor'] & { name?: string } }

/** An event keeps an id, since names change; whoever reads it wants today's name. */
export async function withActorNames(context: Context, events: RecordedEvent[]): Promise<Named[]> {
  const ids = events.flatMap(({ actor }) => ('id' in actor ? [actor.id] : []))
  const names = new Map((await store.namesOf(context.sql, ids)).map(({ id, name }) => [id, name]))
  return events.map((event) => {
    const name = 'id' in event.actor ? names.get(event.actor.id) : undefined
    return name === undefined ? event : { ...event, actor: { ...event.actor, name } }
  })
}
