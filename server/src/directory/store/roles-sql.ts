import type { Sql } from '../../platform/database/sql.ts'
import type { PortalMembership } from './memberships.ts'

type HeldRole = PortalMembership['held'][number]

/** A member of the customer, or one of its groups. */
export type RoleHolder = { user_id: string } | { group_id: string }

export async function listRoles(sql: Sql, customerId: string, holder: RoleHolder): Promise<HeldRole[]> {
  return await sql<HeldRole[]>`
    select role, space_id from space_roles where customer_id = ${customerId} and ${heldBy(sql, holder)}`
}

export interface NewRole extends HeldRole {
  id: string
}

export async function insertRoles(
  sql: Sql,
  customerId: string,
  holder: RoleHolder,
  roles: readonly NewRole[],
  at: Date,
): Promise<void> {
  const rows = roles.map(({ id, role, space_id }) => ({
    id,
    role,
    space_id,
    customer_id: customerId,
    ...holder,
    created_at: at,
  }))
  await sql`insert into space_roles ${sql(rows)}`
}

/** In these spaces; null: that of everywhere. */
export async function deleteRoles(
  sql: Sql,
  customerId: string,
  holder: RoleHolder,
  spaceIds: readonly (string | null)[],
): Promise<void> {
  await sql`
    delete from space_roles where customer_id = ${customerId} and ${heldBy(sql, holder)}
      and (space_id = any(${spaceIds.filter((id) => id !== null)}::uuid[]) or (${spaceIds.includes(null)} and space_id is null))`
}

/** Whether one of the groups has a role somewhere. */
export async function haveRoles(sql: Sql, groupIds: readonly string[]): Promise<boolean> {
  const rows = await sql`select 1 from space_roles where group_id = any(${[...groupIds]}::uuid[]) limit 1`
  return rows.length > 0
}

function heldBy(sql: Sql, holder: RoleHolder) {
  return 'user_id' in holder ? sql`user_id = ${holder.user_id}` : sql`group_id = ${holder.group_id}`
}
