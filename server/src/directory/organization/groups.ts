import type { Context } from '../../context.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { isForeignKeyViolation, isUniqueViolation, transaction } from '../../platform/database/database.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { conflict, notFound } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { type PeopleRights, requireNotApprover, requireRight } from '../accounts/people-rights.ts'
import { findCustomer, lockCustomer } from '../store/customers.ts'
import * as store from '../store/groups.ts'
import { listMembersOfGroup, type Member } from '../store/memberships.ts'

export type { Group } from '../store/groups.ts'

const nameTaken = () => conflict('name_taken', 'This customer has a group of that name already.')

export async function createGroup(
  context: Context,
  actor: Actor,
  customerId: string,
  name: string,
): Promise<store.Group> {
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    if (!(await findCustomer(sql, customerId))) throw notFound('customer')
    const group = await store.insertGroup(sql, { id: newId(), customer_id: customerId, name, created_at: at })
    if (!group) throw nameTaken()
    await recordAudit(sql, {
      type: 'group.created',
      at,
      actor,
      customer_id: customerId,
      details: { group_id: group.id, name },
    })
    return group
  })
}

export async function getGroup(context: Context, customerId: string, id: string): Promise<store.Group> {
  const group = await store.findGroup(context.sql, customerId, id)
  if (!group) throw notFound('group')
  return group
}

export async function listGroups(
  context: Context,
  customerId: string,
  request: PageRequest,
): Promise<Page<store.Group>> {
  const range = pageRange(request)
  const rows = await store.listGroups(context.sql, customerId, range)
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
      const before = await store.lockGroup(sql, customerId, id)
      if (!before) throw notFound('group')
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

/** A group that an approval's sign-in policy names cannot go: the approval would admit nobody, or everybody. */
export async function deleteGroup(context: Context, actor: Actor, customerId: string, id: string): Promise<void> {
  try {
    await transaction(context.sql, async (sql) => {
      // In turn with those who put people into it.
      await lockCustomer(sql, customerId)
      if (!(await store.deleteGroup(sql, customerId, id))) throw notFound('group')
      const details = { group_id: id }
      await recordAudit(sql, { type: 'group.deleted', at: context.now(), actor, customer_id: customerId, details })
    })
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw conflict('group_in_use', 'A connected app admits the people of this group: change its sign-in policy first.')
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

/** Someone who is in the group already stays in it; the composite keys refuse a foreign group or person. */
export async function addGroupMember(
  context: Context,
  rights: PeopleRights,
  { customerId, id, userId }: { customerId: string; id: string; userId: string },
): Promise<void> {
  try {
    await transaction(context.sql, async (sql) => {
      // In turn with other changes of the customer's people: a person's groups are part of what If-Match guards.
      await lockCustomer(sql, customerId)
      await requireRight(sql, rights, { customer_id: customerId })
      await requireNotApprover(sql, rights, userId)
      if (!(await store.insertGroupMember(sql, customerId, id, userId))) {
        // Nothing to insert, so no key was checked: it may be another customer's member that stands in the way.
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
