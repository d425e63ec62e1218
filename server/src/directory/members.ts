import type { Context } from '../context.ts'
import { type Actor, recordAudit } from '../platform/audit.ts'
import { transaction } from '../platform/database.ts'
import { newId } from '../platform/identifiers.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../platform/pagination.ts'
import { hashPassword } from '../platform/passwords.ts'
import { conflict, notFound } from '../platform/refusal.ts'
import { findCustomer, lockCustomer } from './store/customers.ts'
import { findGroupIdsByName, insertGroupMembers, insertMissingGroups } from './store/groups.ts'
import * as store from './store/memberships.ts'
import { findOrInsertUser } from './store/users.ts'

export type { Member, Role } from './store/memberships.ts'

export interface NewMember {
  name: string
  email: string
  password: string
  role: store.Role
  /** Names; a group that does not exist yet is made. */
  groups?: string[] | undefined
}

/** Adds a person to a customer. A known email keeps its own name and password, and gains only the membership. */
export async function addMember(
  context: Context,
  actor: Actor,
  customerId: string,
  input: NewMember,
): Promise<store.Member> {
  const at = context.now()
  const passwordHash = await hashPassword(input.password)
  return await transaction(context.sql, async (sql) => {
    if (!(await lockCustomer(sql, customerId))) throw notFound('customer')
    const { id: userId } = await findOrInsertUser(sql, {
      id: newId(),
      email: input.email,
      name: input.name,
      password_hash: passwordHash,
      created_at: at,
    })
    const added = await store.insertMembership(sql, {
      customer_id: customerId,
      user_id: userId,
      role: input.role,
      created_at: at,
    })
    if (!added) throw conflict('already_member', 'A person with this email is a member of this customer already.')
    const names = input.groups ?? []
    if (names.length > 0) {
      const missing = names.map((name) => ({ id: newId(), name }))
      await insertMissingGroups(sql, customerId, missing, at)
      await insertGroupMembers(sql, customerId, userId, await findGroupIdsByName(sql, customerId, names))
    }
    await recordAudit(sql, {
      type: 'member.added',
      at,
      actor,
      customer_id: customerId,
      details: { user_id: userId, role: input.role, groups: names },
    })
    return (await store.findMember(sql, customerId, userId))!
  })
}

export async function getMember(context: Context, customerId: string, userId: string): Promise<store.Member> {
  const member = await store.findMember(context.sql, customerId, userId)
  if (!member) throw notFound('user')
  return member
}

export async function listMembers(
  context: Context,
  customerId: string,
  request: PageRequest,
): Promise<Page<store.Member>> {
  const range = pageRange(request)
  const rows = await store.listMembers(context.sql, customerId, range)
  if (rows.length === 0 && !(await findCustomer(context.sql, customerId))) throw notFound('customer')
  return toPage(rows, range, ({ id }) => id)
}
