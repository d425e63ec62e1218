import { isUniqueViolation, transaction } from '../../platform/database/database.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { requireRoom } from '../../platform/quotas.ts'
import { conflict, found, notFound } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import * as store from '../store/device-views-sql.ts'
import type { CustomerOwner } from '../store/devices-sql.ts'

export interface NewView {
  name: string
  query: Record<string, unknown>
}

/** Shared by all who administer the customer (decision 7.42). */
export async function createView(context: Context, customerId: string, input: NewView): Promise<store.DeviceView> {
  const view = { id: newId(), ...input, created_at: context.now() }
  return await uniqueName(
    transaction(context.sql, async (sql) => {
      const count = () => store.countViews(sql, customerId)
      await requireRoom(context, sql, 'views', { tenant: { customer_id: customerId }, count })
      return await store.insertView(sql, customerId, view)
    }),
  )
}

/** Without those of a space that the reader does not reach: their names tell of it. */
export async function listViews(
  context: Context,
  owner: CustomerOwner,
  request: PageRequest,
): Promise<Page<store.DeviceView>> {
  const range = pageRange(request)
  return toPage(await store.listViews(context.sql, owner, range), range, ({ id }) => id)
}

export async function getView(context: Context, owner: CustomerOwner, id: string): Promise<store.DeviceView> {
  return found(await store.findView(context.sql, owner, id), 'view')
}

export async function changeView(
  context: Context,
  customerId: string,
  { id, ifMatch }: { id: string; ifMatch: string | undefined },
  change: Partial<NewView>,
): Promise<store.DeviceView> {
  return await uniqueName(
    transaction(context.sql, async (sql) => {
      const view = found(await store.findView(sql, { customer_id: customerId }, id, true), 'view')
      requireMatch(ifMatch, view)
      return await store.updateView(sql, { ...view, ...change })
    }),
  )
}

export async function deleteView(context: Context, customerId: string, id: string): Promise<void> {
  if (!(await store.deleteView(context.sql, customerId, id))) throw notFound('view')
}

async function uniqueName<Result>(saving: Promise<Result>): Promise<Result> {
  return await saving.catch((error) => {
    if (isUniqueViolation(error)) throw conflict('name_taken', 'Another view has this name.')
    throw error
  })
}
