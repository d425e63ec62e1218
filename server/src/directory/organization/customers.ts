import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { found, notFound } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import * as store from '../store/customers-sql.ts'
import { findPartner } from '../store/partners-sql.ts'
import { listWithin, type Place } from '../store/spaces-sql.ts'

export async function createCustomer(
  context: Context,
  actor: Actor,
  input: { partner_id: string; name: string },
): Promise<store.Customer> {
  const at = context.now()
  const customer = { id: newId(), partner_id: input.partner_id, name: input.name, lab: false, created_at: at }
  await transaction(context.sql, async (sql) => {
    if (!(await findPartner(sql, input.partner_id))) throw notFound('partner')
    await store.insertCustomer(sql, customer)
    const owners = { partner_id: input.partner_id, customer_id: customer.id }
    await recordAudit(sql, { type: 'customer.created', at, actor, ...owners })
  })
  return customer
}

export async function getCustomer(context: Context, id: string): Promise<store.Customer> {
  return found(await store.findCustomer(context.sql, id), 'customer')
}

export async function listCustomers(
  context: Context,
  { partner_id, search, ...request }: PageRequest & { partner_id?: string; search?: string },
): Promise<Page<store.Customer>> {
  const range = pageRange(request)
  const text = search?.trim()
  const rows = text
    ? await store.searchCustomers(context.sql, { text, partner_id: partner_id ?? null }, range)
    : partner_id
      ? await store.listCustomersOfPartner(context.sql, partner_id, range)
      : await store.listCustomers(context.sql, range)
  return toPage(rows, range, ({ id }) => id)
}

export async function renameCustomer(
  context: Context,
  actor: Actor,
  { id, ifMatch }: { id: string; ifMatch: string | undefined },
  name: string,
): Promise<store.Customer> {
  return await transaction(context.sql, async (sql) => {
    const before = found(await store.lockCustomer(sql, id), 'customer')
    requireMatch(ifMatch, before)
    const customer = (await store.renameCustomer(sql, id, name))!
    const details = { name, previous_name: before.name }
    await recordAudit(sql, { type: 'customer.renamed', at: context.now(), actor, customer_id: id, details })
    return customer
  })
}

interface OrganizationInfo extends Omit<store.Customer, 'partner_id'> {
  counts: { users: number; groups: number; spaces: number }
}

export async function describeOrganization(
  context: Context,
  { customer_id: customerId, within }: Place,
): Promise<OrganizationInfo> {
  const [customer, counts, reached] = await Promise.all([
    store.findCustomer(context.sql, customerId),
    store.countOfCustomer(context.sql, customerId),
    within ? listWithin(context.sql, customerId, within) : null,
  ])
  if (!customer) throw notFound('customer')
  const { partner_id: _, ...info } = customer
  return { ...info, counts: { ...counts, spaces: reached?.length ?? counts.spaces } }
}
