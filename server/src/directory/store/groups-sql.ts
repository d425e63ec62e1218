import type { PageRange, Sql } from '../../platform/database/sql.ts'
import { anywhere } from './search.ts'

export interface Group {
  id: string
  customer_id: string
  name: string
  created_at: Date
}

/** Undefined when the customer has a group of that name; upper and lower case do not matter. */
export async function insertGroup(sql: Sql, group: Group): Promise<Group | undefined> {
  const [row] = await sql<Group[]>`
    insert into groups ${sql(group, 'id', 'customer_id', 'name', 'created_at')}
    on conflict (customer_id, lower(name)) do nothing
    returning id, customer_id, name, created_at`
  return row
}

export async function countGroups(sql: Sql, customerId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from groups where customer_id = ${customerId}`
  return row!.count
}

export async function findGroup(sql: Sql, customerId: string, id: string): Promise<Group | undefined> {
  const [row] = await sql<Group[]>`
    select id, customer_id, name, created_at from groups where customer_id = ${customerId} and id = ${id}`
  return row
}

export async function lockGroup(sql: Sql, customerId: string, id: string): Promise<Group | undefined> {
  const [row] = await sql<Group[]>`
    select id, customer_id, name, created_at from groups
    where customer_id = ${customerId} and id = ${id} for no key update`
  return row
}

/** All, or those whose name has the text; a search reads the groups of one customer at most. */
export async function listGroups(
  sql: Sql,
  customerId: string,
  { after, limit }: PageRange,
  text?: string,
): Promise<Group[]> {
  return await sql<Group[]>`
    select id, customer_id, name, created_at from groups
    where customer_id = ${customerId} and id > ${after}
      ${text ? sql`and lower(' ' || name) like ${anywhere(text)}` : sql``}
    order by id limit ${limit}`
}

export async function insertMissingGroups(
  sql: Sql,
  customerId: string,
  groups: { id: string; name: string }[],
  at: Date,
): Promise<void> {
  await sql`
    insert into groups (id, customer_id, name, created_at)
    select id, ${customerId}, name, ${at}
    from unnest(${groups.map(({ id }) => id)}::uuid[], ${groups.map(({ name }) => name)}::text[]) as g (id, name)
    on conflict (customer_id, lower(name)) do nothing`
}

export async function findGroupsByName(
  sql: Sql,
  customerId: string,
  names: string[],
): Promise<{ id: string; name: string }[]> {
  return await sql<{ id: string; name: string }[]>`
    select id, name from groups
    where customer_id = ${customerId} and lower(name) in (select lower(name) from unnest(${names}::text[]) as n (name))
    order by name`
}

/** Those of the ids that are groups of this customer. */
export async function findGroupIds(sql: Sql, customerId: string, ids: string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from groups where customer_id = ${customerId} and id = any(${ids}::uuid[])`
  return rows.map(({ id }) => id)
}

export async function renameGroup(sql: Sql, customerId: string, id: string, name: string): Promise<Group | undefined> {
  const [row] = await sql<Group[]>`
    update groups set name = ${name} where customer_id = ${customerId} and id = ${id}
    returning id, customer_id, name, created_at`
  return row
}

export async function deleteGroup(sql: Sql, customerId: string, id: string): Promise<boolean> {
  const rows = await sql`delete from groups where customer_id = ${customerId} and id = ${id} returning id`
  return rows.length > 0
}

export async function insertGroupMembers(
  sql: Sql,
  customerId: string,
  userId: string,
  groupIds: string[],
): Promise<void> {
  await sql`
    insert into group_members (customer_id, group_id, user_id)
    select ${customerId}, id, ${userId} from unnest(${groupIds}::uuid[]) as g (id)
    on conflict do nothing`
}

/** False when the person is already in the group. */
export async function insertGroupMember(
  sql: Sql,
  customerId: string,
  groupId: string,
  userId: string,
): Promise<boolean> {
  const rows = await sql`
    insert into group_members (customer_id, group_id, user_id) values (${customerId}, ${groupId}, ${userId})
    on conflict do nothing returning user_id`
  return rows.length > 0
}

export async function isInGroup(sql: Sql, customerId: string, groupId: string, userId: string): Promise<boolean> {
  const rows = await sql`
    select 1 from group_members
    where group_id = ${groupId} and user_id = ${userId} and customer_id = ${customerId}`
  return rows.length > 0
}

export async function deleteGroupMember(
  sql: Sql,
  customerId: string,
  groupId: string,
  userId: string,
): Promise<boolean> {
  const rows = await sql`
    delete from group_members where customer_id = ${customerId} and group_id = ${groupId} and user_id = ${userId}
    returning user_id`
  return rows.length > 0
}

/** Leaves the person in the given groups and no others. */
export async function deleteGroupMembersExcept(
  sql: Sql,
  customerId: string,
  userId: string,
  groupIds: string[],
): Promise<void> {
  await sql`
    delete from group_members
    where customer_id = ${customerId} and user_id = ${userId} and group_id <> all(${groupIds}::uuid[])`
}
