import type { Context } from '../../context.ts'
import type { RecordedEvent } from '../../events/audit.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { found } from '../../platform/refusal.ts'
import { spendPasswordResets } from '../store/links.ts'
import {
  type CustomerMembership,
  listCustomersOf,
  listPartnersOf,
  type PartnerMembership,
} from '../store/memberships.ts'
import * as store from '../store/users.ts'
import { endSessionsOf } from './sessions.ts'

/** All users, whatever they belong to: for the operator. */
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
  return found(await store.findUser(context.sql, id), 'user')
}

/** What the portal offers a person to open. */
export async function listMembershipsOf(
  context: Context,
  userId: string,
): Promise<{ customers: CustomerMembership[]; partners: PartnerMembership[] }> {
  const [customers, partners] = await Promise.all([
    listCustomersOf(context.sql, userId),
    listPartnersOf(context.sql, userId),
  ])
  return { customers, partners }
}

/**
 * For an account whose email belongs to somebody else: without a mailer nothing proves an email, so the person who opens the
 * first link for it owns the account. Afterwards nobody can sign in to that account, and the email can be invited again.
 */
export async function releaseEmail(context: Context, actor: Actor, id: string): Promise<store.User> {
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    const email = found(await store.releaseEmail(sql, id), 'user')
    await spendPasswordResets(sql, id, at)
    await endSessionsOf(sql, id)
    await recordAudit(sql, { type: 'user.email_released', at, actor, details: { user_id: id, email } })
    return (await store.findUser(sql, id))!
  })
}

type NamedEvent = Omit<RecordedEvent, 'actor'> & { actor: RecordedEvent['actor'] & { name?: string } }

/** Events are stored with the actor's id, since names change; this adds the current names. */
export async function withActorNames(context: Context, events: RecordedEvent[]): Promise<NamedEvent[]> {
  const ids = events.flatMap(({ actor }) => ('id' in actor ? [actor.id] : []))
  const names = new Map((await store.findActorNames(context.sql, ids)).map(({ id, name }) => [id, name]))
  return events.map((event) => {
    const name = 'id' in event.actor ? names.get(event.actor.id) : undefined
    return name === undefined ? event : { ...event, actor: { ...event.actor, name } }
  })
}
