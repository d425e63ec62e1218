import { type Actor, recordAudit } from '../../events/audit.ts'
import type { Context as EventsContext } from '../../events/context.ts'
import { queueMail } from '../../events/mail/mail-queue.ts'
import type { BaseContext } from '../../platform/context.ts'
import { coalesceSame } from '../../platform/database/coalesce-same.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { conflict, found, notFound } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { hashPassword } from '../../platform/secrets/passwords.ts'
import { inviteKnownPerson, requireRoomForPerson } from '../accounts/invitations.ts'
import { homeOfTarget } from '../accounts/mails/home.ts'
import { welcomeMail } from '../accounts/mails/invitation-mails.ts'
import {
  type PeopleRights,
  requireMayChange,
  requireMayGrant,
  requireMayJoin,
  requireMayShowDevices,
  requireNotApprover,
  requireRight,
} from '../accounts/people-rights.ts'
import { revokeLinksForCustomers } from '../accounts/revoked-links.ts'
import { findCustomer, lockCustomer } from '../store/customers-sql.ts'
import {
  deleteGroupMembersExcept,
  findGroupIds,
  findGroupsByName,
  insertGroupMembers,
  insertMissingGroups,
} from '../store/groups-sql.ts'
import * as store from '../store/memberships.ts'
import { insertUser } from '../store/users-sql.ts'
import { requireRoomForGroups } from './group-room.ts'

export interface NewMember {
  name: string
  email: string
  password: string
  role: store.Role
  /** Names; a group that does not exist is created. */
  groups?: string[] | undefined
}

/**
 * An email that already has an account is invited instead, since only its owner may accept (decision 6.9). The response
 * has the same form, so that it does not reveal which of the two happened.
 */
export async function addMember(
  context: EventsContext,
  actor: Actor,
  customerId: string,
  input: NewMember,
): Promise<store.Member> {
  const at = context.now()
  const userId = newId()
  const password_hash = await hashPassword(input.password, context.passwordCost)
  const { name, email, role } = input
  return await transaction(context.sql, async (sql) => {
    if (!(await lockCustomer(sql, customerId))) throw notFound('customer')
    if (await store.isMember(sql, customerId, email)) {
      throw conflict('already_member', 'A person with this email is already a member of this customer.')
    }
    await requireRoomForPerson(context, sql, { customer_id: customerId })
    const groups = await findOrCreateGroups(context, sql, customerId, input.groups ?? [])
    const group_ids = groups.map(({ id }) => id)
    if (!(await insertUser(sql, { id: userId, email, name, password_hash, created_at: at }))) {
      const invitee = { email, name, role, group_ids }
      const { id } = await inviteKnownPerson(sql, context, { customer_id: customerId }, invitee)
      return {
        id,
        email,
        name,
        email_verified: false,
        role,
        active: true,
        can_view_devices: false,
        groups,
        created_at: at,
      }
    }
    await store.insertMembership(sql, { customer_id: customerId, user_id: userId, role, created_at: at })
    await insertGroupMembers(sql, customerId, userId, group_ids)
    const details = { user_id: userId, role, groups: input.groups ?? [] }
    await recordAudit(sql, { type: 'member.added', at, actor, customer_id: customerId, details })
    const home = await homeOfTarget(context, sql, { customer_id: customerId })
    await queueMail(context, sql, [welcomeMail({ id: userId, email }, home, 'by the operator')])
    return (await store.findMember(sql, customerId, userId))!
  })
}

async function findOrCreateGroups(
  context: BaseContext,
  sql: Sql,
  customerId: string,
  names: string[],
): Promise<{ id: string; name: string }[]> {
  if (names.length === 0) return []
  const known = new Set((await findGroupsByName(sql, customerId, names)).map(({ name }) => name.toLowerCase()))
  const missing = names.filter((name) => !known.has(name.toLowerCase())).map((name) => ({ id: newId(), name }))
  if (missing.length > 0) {
    await requireRoomForGroups(context, sql, customerId, missing.length)
    await insertMissingGroups(sql, customerId, missing, context.now())
  }
  return await findGroupsByName(sql, customerId, names)
}

export async function getMember(context: BaseContext, customerId: string, userId: string): Promise<store.Member> {
  return found(await store.findMember(context.sql, customerId, userId), 'user')
}

export async function listMembers(
  context: BaseContext & MembersPageReader,
  customerId: string,
  request: PageRequest,
): Promise<Page<store.Member>> {
  const page = await context.readMembersPage({ ...pageRange(request), customer_id: customerId })
  if (page.items.length === 0 && !(await findCustomer(context.sql, customerId))) throw notFound('customer')
  return page
}

export interface MembersPageReader {
  readMembersPage: ReturnType<typeof createMembersPageReader>
}

/** Requests for the same page at the same moment share one read; nothing is cached beyond it. */
export function createMembersPageReader(context: BaseContext) {
  return coalesceSame(
    ({ customer_id, after, limit }: store.MembersPage) => `${customer_id} ${after} ${limit}`,
    async (pages) => {
      const rows = await store.listMembers(context.hot, pages)
      const byPage = Map.groupBy(rows, ({ page }) => page)
      return pages.map((range, index) => {
        const members = (byPage.get(index + 1) ?? []).map(({ page: _, ...member }) => member)
        return toPage(members, range, ({ id }) => id)
      })
    },
  )
}

export interface MemberChange extends store.MembershipChange {
  /** Ids; they replace the person's groups. */
  groups?: string[] | undefined
}

/** A customer changes a person's membership, never the person (decision 6.9). */
export async function changeMember(
  context: BaseContext,
  rights: PeopleRights,
  { customerId, userId, ifMatch }: { customerId: string; userId: string; ifMatch: string | undefined },
  { groups, ...change }: MemberChange,
): Promise<store.Member> {
  const { actor } = rights
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    // Changes of a customer's people take turns: two administrators who demote each other must not both succeed.
    await lockCustomer(sql, customerId)
    await requireRight(sql, rights, { customer_id: customerId })
    const before = found(await store.findMember(sql, customerId, userId), 'user')
    requireMatch(ifMatch, before)
    requireMayGrant(rights, change.role)
    requireMayShowDevices(rights, change.can_view_devices)
    if (Object.values(change).some((value) => value !== undefined)) await requireMayChange(sql, rights, before)
    else await requireNotApprover(sql, rights, userId)
    await store.updateMembership(sql, customerId, userId, change, at)
    await requireAdministratorLeft(sql, customerId, before)
    if (groups) {
      const known = await findGroupIds(sql, customerId, groups)
      if (known.length < new Set(groups).size) throw notFound('group')
      const joined = known.filter((id) => !before.groups.some((group) => group.id === id))
      await requireMayJoin(sql, rights, joined)
      await deleteGroupMembersExcept(sql, customerId, userId, known)
      await insertGroupMembers(sql, customerId, userId, known)
    }
    const details = { user_id: userId, ...definedOf(change), ...(groups ? { groups } : {}) }
    await recordAudit(sql, { type: 'member.changed', at, actor, customer_id: customerId, details })
    const after = (await store.findMember(sql, customerId, userId))!
    if (!isAdministrator(after))
      await revokeLinksForCustomers(sql, { kind: 'user', id: userId }, [customerId], { at, actor })
    return after
  })
}

/** Tokens the person obtained stay: they belong to the grant (decision 6.12). */
export async function removeMember(
  context: BaseContext,
  rights: PeopleRights,
  { customerId, userId, ifMatch }: { customerId: string; userId: string; ifMatch: string | undefined },
): Promise<void> {
  const { actor } = rights
  const at = context.now()
  await transaction(context.sql, async (sql) => {
    await lockCustomer(sql, customerId)
    await requireRight(sql, rights, { customer_id: customerId })
    const before = found(await store.findMember(sql, customerId, userId), 'user')
    requireMatch(ifMatch, before)
    await requireMayChange(sql, rights, before)
    await store.deleteMembership(sql, customerId, userId)
    await requireAdministratorLeft(sql, customerId, before)
    const details = { user_id: userId, role: before.role }
    await recordAudit(sql, { type: 'member.removed', at, actor, customer_id: customerId, details })
    await revokeLinksForCustomers(sql, { kind: 'user', id: userId }, [customerId], { at, actor })
  })
}

/** Without an administrator, nobody could approve an application or manage the customer again. */
async function requireAdministratorLeft(sql: Sql, customerId: string, before: store.Member): Promise<void> {
  if (isAdministrator(before) && !(await store.hasActiveAdministrator(sql, customerId))) {
    const sentence = 'This is the last active administrator. Make someone else an administrator first.'
    throw conflict('last_administrator', sentence)
  }
}

function isAdministrator({ role, active }: store.Member): boolean {
  return role === 'administrator' && active
}

function definedOf(change: store.MembershipChange): Record<string, string | boolean> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

/** The customer a signed-in person acts for: the one named, else the only one they administer, else the only one they view. */
export async function findPortalMembership(
  context: BaseContext,
  userId: string,
  customerId: string | null,
): Promise<store.PortalMembership | 'several' | null> {
  const [first, second] = await store.findPortalMemberships(context.sql, userId, customerId)
  return second && second.role === first!.role ? 'several' : (first ?? null)
}
