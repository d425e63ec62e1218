import { type Actor, recordAudit } from '../../events/audit.ts'
import { isForeignKeyViolation, isUniqueViolation, transaction } from '../../platform/database/database.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { conflict, found, notFound } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { type PeopleRights, requireMayJoin, requireNotApprover, requireRight } from '../accounts/people-rights.ts'
import type { Context } from '../context.ts'
import { findCustomer, lockCustomer } from '../store/customers-sql.ts'
import * as store from '../store/groups-sql.ts'
import { listMembersOfGroup, type Member } from '../store/memberships.ts'
import { requireRoomForGroups } from './group-room.ts'

const nameTaken = () => conflict('name_taken', 'A group of that name already exists.')

export async function createGroup(
  context: Context,
  actor: Actor,
  customerId: string,
  name: string,
): Promise<store.Group> {
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    if (!(await findCustomer(sql, customerId))) throw notFound('customer')
    await requireRoomForGroups(context, sql, customerId)
    const group = await store.insertGroup(sql, { id: newId(), customer_id: customerId, name, created_at: at })
    if (!group) throw nameTaken()
    const details = { group_id: group.id, name }
    await recordAudit(sql, { type: 'group.created', at, actor, customer_id: customerId, details })
    return group
  })
}

export async function getGroup(context: Context, customerId: string, id: string): Promise<store.Group> {
  return found(await store.findGroup(context.sql, customerId, id), 'group')
}

export async function listGroups(
  context: Context,
  customerId: string,
  request: PageRequest & { search?: string },
): Promise<Page<store.Group>> {
  const range = pageRange(request)
  const rows = await store.listGroups(context.sql, customerId, range, request.search?.trim())
  if (rows.length === 0 && !(await findCustomer(context.sql, customerId))) throw notFound('customer')
  return toPage(rows, range, ({ id }) => id)
}

export async function renameGroup(
  context: Context,
  actor: Actor,
  { customerId, id, ifMatch }: { customerId: string; id: string; ifMatch: string | undefined },
  name: string,
): Promise<store.Group> {
  try {
    return await transaction(context.sql, async (sql) => {
      const before = found(await store.lockGroup(sql, customerId, id), 'group')
      requireMatch(ifMatch, before)
      const group = await store.renameGroup(sql, customerId, id, name)
      const details = { group_id: id, name, previous_name: before.name }
      await recordAudit(sql, { type: 'group.renamed', at: context.now(), actor, customer_id: customerId, details })
      return group!
    })
  } catch (error) {
    throw isUniqueViolation(error, 'groups_by_name') ? nameTaken() : error
  }
}

/** A group that an approval's sign-in policy names cannot be deleted: the policy would admit nobody, or everybody. */
export async function deleteGroup(context: Context, actor: Actor, customerId: string, id: string): Promise<void> {
  try {
    await transaction(context.sql, async (sql) => {
      // So that nobody is added to the group meanwhile.
      await lockCustomer(sql, customerId)
      if (!(await store.deleteGroup(sql, customerId, id))) throw notFound('group')
      const details = { group_id: id }
      await recordAudit(sql, { type: 'group.deleted', at: context.now(), actor, customer_id: customerId, details })
    })
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw conflict('group_in_use', 'The sign-in policy of a connected app uses this group. Change the policy first.')
  }
}

export async function listGroupMembers(
  context: Context,
  customerId: string,
  id: string,
  request: PageRequest,
): Promise<Page<Member>> {
  const range = pageRange(request)
  await getGroup(context, customerId, id)
  return toPage(await listMembersOfGroup(context.sql, customerId, id, range), range, (member) => member.id)
}

/** Adding a member twice succeeds; the composite foreign keys refuse a group or person of another customer. */
export async function addGroupMember(
  context: Context,
  rights: PeopleRights,
  { customerId, id, userId }: { customerId: string; id: string; userId: string },
): Promise<void> {
  try {
    await transaction(context.sql, async (sql) => {
      // A person's groups are part of what If-Match guards, so changes of the customer's people take turns.
      await lockCustomer(sql, customerId)
      await requireRight(sql, rights, { customer_id: customerId })
      await requireNotApprover(sql, rights, userId)
      await requireMayJoin(sql, rights, [id])
      if (!(await store.insertGroupMember(sql, customerId, id, userId))) {
        // Nothing was inserted, so no foreign key was checked: the conflicting row may be another customer's.
        if (!(await store.isInGroup(sql, customerId, id, userId))) throw notFound('group or user')
        return
      }
      const details = { group_id: id, user_id: userId }
      const { actor } = rights
      await recordAudit(sql, { type: 'group.member_added', at: context.now(), actor, customer_id: customerId, details })
    })
  } catch (error) {
    throw isForeignKeyViolation(error) ? notFound('group or user') : error
  }
}

export async function removeGroupMember(
  context: Context,
  rights: PeopleRights,
  { customerId, id, userId }: { customerId: string; id: string; userId: string },
): Promise<void> {
  await transaction(context.sql, async (sql) => {
    await lockCustomer(sql, customerId)
    await requireRight(sql, rights, { customer_id: customerId })
    await requireNotApprover(sql, rights, userId)
    if (!(await store.deleteGroupMember(sql, customerId, id, userId))) throw notFound('group or user')
    const details = { group_id: id, user_id: userId }
    const { actor } = rights
    await recordAudit(sql, { type: 'group.member_removed', at: context.now(), actor, customer_id: customerId, details })
  })
}
