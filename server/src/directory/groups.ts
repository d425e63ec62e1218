import type { Context } from '../context.ts'
import { type Actor, recordAudit } from '../platform/audit.ts'
import { transaction } from '../platform/database.ts'
import { newId } from '../platform/identifiers.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../platform/pagination.ts'
import { conflict, notFound } from '../platform/refusal.ts'
import { findCustomer } from './store/customers.ts'
import * as store from './store/groups.ts'

export type { Group } from './store/groups.ts'

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
