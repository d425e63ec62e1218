import { recordAudit } from '../../events/audit.ts'
import type { BaseContext } from '../../platform/context.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { found, invalid } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { type PeopleRights, requireRight } from '../accounts/people-rights.ts'
import type { HeldRole } from '../permissions.ts'
import { lockCustomer } from '../store/customers-sql.ts'
import { findGroup } from '../store/groups-sql.ts'
import { findMember, updateMembership } from '../store/memberships.ts'
import * as store from '../store/roles-sql.ts'
import { findSpacePaths, keepSpaces } from './spaces.ts'

interface NamedRole extends HeldRole {
  /** The names from the top; none for everywhere. */
  space_path: string[]
}

interface Roles {
  roles: NamedRole[]
}

/** What a member or a group was given itself. */
export async function getRoles({ sql }: BaseContext, customerId: string, holder: store.RoleHolder): Promise<Roles> {
  return await named(sql, customerId, await heldBy(sql, customerId, holder))
}

/** Replaces them all. */
export async function replaceRoles(
  context: BaseContext,
  rights: PeopleRights,
  { customerId, holder, ifMatch }: { customerId: string; holder: store.RoleHolder; ifMatch: string | undefined },
  wanted: readonly HeldRole[],
): Promise<Roles> {
  const roles = wanted.map(({ role, space_id }) => ({ role, space_id: space_id?.toLowerCase() ?? null }))
  if (new Set(roles.map(({ space_id }) => space_id)).size < roles.length)
    throw invalid({ field: 'roles', message: 'must have one role per space, and one for everywhere' })
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    // As other changes of the customer's people: two administrators who replace roles at once take turns.
    await lockCustomer(sql, customerId)
    await requireRight(sql, rights, { customer_id: customerId })
    const before = await heldBy(sql, customerId, holder)
    if (ifMatch !== undefined) requireMatch(ifMatch, await named(sql, customerId, before))
    await requireOwnSpaces(sql, customerId, roles)
    const given = roles.filter((role) => !isAmong(role, before))
    const removed = before.filter((role) => !isAmong(role, roles))
    if (given.length + removed.length > 0) {
      await store.deleteRoles(sql, customerId, holder, spacesOf(removed))
      await giveRoles(sql, customerId, holder, { roles, given, at })
      const words = { given: await inWords(sql, customerId, given), removed: await inWords(sql, customerId, removed) }
      const type = 'user_id' in holder ? 'member.roles_changed' : 'group.roles_changed'
      const { actor } = rights
      await recordAudit(sql, { type, at, actor, customer_id: customerId, details: { ...holder, ...words } })
    }
    return await named(sql, customerId, roles)
  })
}

/** That a member may look at everything is a field of the membership, from before there were roles (decision 6.54). */
async function giveRoles(
  sql: Sql,
  customerId: string,
  holder: store.RoleHolder,
  { roles, given, at }: { roles: readonly HeldRole[]; given: readonly HeldRole[]; at: Date },
): Promise<void> {
  const inMembership = (role: HeldRole) => 'user_id' in holder && isAmong(role, [viewerOfEverything])
  if ('user_id' in holder)
    await updateMembership(sql, customerId, holder.user_id, { can_view_devices: roles.some(inMembership) }, at)
  const rows = given.filter((role) => !inMembership(role)).map((role) => ({ ...role, id: newId() }))
  if (rows.length > 0) await store.insertRoles(sql, customerId, holder, rows, at)
}

const viewerOfEverything: HeldRole = { role: 'viewer', space_id: null }

async function heldBy(sql: Sql, customerId: string, holder: store.RoleHolder): Promise<HeldRole[]> {
  if ('group_id' in holder) {
    found(await findGroup(sql, customerId, holder.group_id), 'group')
    return await store.listRoles(sql, customerId, holder)
  }
  const { can_view_devices } = found(await findMember(sql, customerId, holder.user_id), 'user')
  const rows = await store.listRoles(sql, customerId, holder)
  // Whoever has a role everywhere may look at everything anyway.
  const looks = can_view_devices && rows.every(({ space_id }) => space_id !== null)
  return looks ? [viewerOfEverything, ...rows] : rows
}

async function requireOwnSpaces(sql: Sql, customerId: string, roles: readonly HeldRole[]): Promise<void> {
  const ids = spacesOf(roles).filter((id) => id !== null)
  const known = await keepSpaces(sql, { customer_id: customerId }, ids)
  if (ids.some((id) => !known.has(id)))
    throw invalid({ field: 'roles', message: 'names a space that this organization does not have' })
}

/** Everywhere first, then in the order of the tree. */
async function named(sql: Sql, customerId: string, roles: readonly HeldRole[]): Promise<Roles> {
  const ids = spacesOf(roles).filter((id) => id !== null)
  const paths = await findSpacePaths(sql, { customer_id: customerId }, ids)
  const withPath = roles.map(({ role, space_id }) => ({
    role,
    space_id,
    space_path: (space_id && paths.get(space_id)) || [],
  }))
  const pathOf = ({ space_path }: NamedRole) => space_path.join('\u0000')
  return { roles: withPath.toSorted((a, b) => pathOf(a).localeCompare(pathOf(b), 'en', { numeric: true })) }
}

/** As they were called then: `manager of Oslo / Ground floor`. */
async function inWords(sql: Sql, customerId: string, held: readonly HeldRole[]): Promise<string[]> {
  const { roles } = await named(sql, customerId, held)
  return roles.map(({ role, space_id, space_path }) => `${role} of ${space_id ? space_path.join(' / ') : 'everything'}`)
}

const spacesOf = (roles: readonly HeldRole[]) => roles.map(({ space_id }) => space_id)

const isAmong = (wanted: HeldRole, roles: readonly HeldRole[]) =>
  roles.some(({ role, space_id }) => role === wanted.role && space_id === wanted.space_id)
