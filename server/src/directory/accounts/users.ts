import type { RecordedEvent } from '../../events/audit.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { readSortCursor, sortedPage } from '../../platform/http/sort-cursor.ts'
import { found } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import { type FactorDemand, judgeFactor } from '../organization/factor-judgement.ts'
import { spendPasswordResets } from '../store/links-sql.ts'
import {
  type AnyMembership,
  type CustomerMembership,
  listAllCustomersOf,
  listCustomersOf,
  listPartnersOf,
  type PartnerMembership,
} from '../store/memberships.ts'
import * as store from '../store/users-sql.ts'
import { removeAllFactors } from './factors/factors.ts'
import { endSessionsOf, type Session, validSince } from './sessions.ts'

export const userSorts = ['name', 'email'] as const satisfies store.UserSort[]

interface UserQuery extends PageRequest {
  email?: string
  search?: string
  sort?: store.UserSort | `-${store.UserSort}`
}

/** All users, whatever they belong to: for the operator. */
export async function listUsers(context: Context, request: UserQuery): Promise<Page<store.User>> {
  if (request.email !== undefined) {
    const user = await store.findUserByEmail(context.sql, request.email)
    return { items: user ? [user] : [], next: null }
  }
  const text = request.search?.trim()
  if (request.sort !== undefined) return await sortUsers(context, { ...request, text, sort: request.sort })
  const range = pageRange(request)
  const rows = text ? await store.searchUsers(context.sql, text, range) : await store.listUsers(context.sql, range)
  return toPage(rows, range, ({ id }) => id)
}

async function sortUsers(
  { sql }: Context,
  { text, sort, limit = 50, after }: UserQuery & { text: string | undefined; sort: NonNullable<UserQuery['sort']> },
): Promise<Page<store.User>> {
  const order = { by: sort.replace('-', '') as store.UserSort, descending: sort.startsWith('-') }
  const rows = await store.sortUsers(sql, { text, ...order, after: readSortCursor(after, sort) }, limit + 1)
  return sortedPage(rows, limit, sort)
}

interface Person extends store.User {
  sign_in: store.SignInState
  customers: AnyMembership[]
  partners: PartnerMembership[]
}

/** With everything that explains what the person can sign in to. */
export async function getPerson(context: Context, id: string): Promise<Person> {
  const { sql, now } = context
  const user = found(await store.findUser(sql, id), 'user')
  const [sign_in, customers, partners] = await Promise.all([
    store.findSignInState(sql, id, { at: now(), ...validSince(context) }),
    listAllCustomersOf(sql, id),
    listPartnersOf(sql, id),
  ])
  return { ...user, sign_in, customers, partners }
}

export async function getUser({ sql }: Context, id: string): Promise<store.User> {
  return found(await store.findUser(sql, id), 'user')
}

/** What the portal offers a person to open. */
export async function listMembershipsOf(
  context: Context,
  { user_id, methods }: Pick<Session, 'user_id' | 'methods'>,
): Promise<{ customers: OfferedCustomer[]; partners: PartnerMembership[] }> {
  const [customers, partners] = await Promise.all([
    listCustomersOf(context.sql, user_id),
    listPartnersOf(context.sql, user_id),
  ])
  return {
    customers: customers.map((customer) => ({ ...customer, second_factor: judgeFactor(customer, methods) })),
    partners,
  }
}

/** With what its policy asks of the person in this session. */
type OfferedCustomer = Omit<CustomerMembership, 'second_factor'> & { second_factor: FactorDemand | null }

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
    // A passkey would still sign in.
    await removeAllFactors(sql, id)
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
