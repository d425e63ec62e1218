import type { Fragment, PageRange, Sql } from '../../platform/database/sql.ts'

export interface Space {
  id: string
  parent_id: string | null
  name: string
  /** The application that keeps the space in sync. */
  synced_by: string | null
  created_at: Date
}

/** Undefined when the parent has a space of that name. */
export async function insertSpace(sql: Sql, customerId: string, space: Space): Promise<Space | undefined> {
  const [row] = await sql<Space[]>`
    insert into spaces ${sql({ ...space, customer_id: customerId })}
    on conflict (customer_id, parent_id, name) do nothing
    returning id, parent_id, name, synced_by, created_at`
  return row
}

/** All of them new: the caller holds the customer's lock and has looked for their names. */
export async function insertSpaces(sql: Sql, customerId: string, spaces: Space[]): Promise<void> {
  await sql`
    insert into spaces (id, customer_id, parent_id, name, synced_by, created_at)
    select id, ${customerId}, parent_id, name, null, created_at
    from unnest(
      ${spaces.map(({ id }) => id)}::uuid[],
      ${spaces.map(({ parent_id }) => parent_id)}::uuid[],
      ${spaces.map(({ name }) => name)}::text[],
      ${spaces.map(({ created_at }) => created_at)}::timestamptz[]
    ) as s (id, parent_id, name, created_at)`
}

/**
 * Those children of the parents that have one of the names, in whatever case; without parents, at the top of the tree.
 * Both forms of the small sigma are one letter, since there is only one capital.
 */
export async function findChildrenNamed(
  sql: Sql,
  place: Place,
  parentIds: string[] | null,
  names: string[],
): Promise<Pick<Space, 'id' | 'parent_id' | 'name'>[]> {
  return await sql<Pick<Space, 'id' | 'parent_id' | 'name'>[]>`
    select id, ${parentIds === null ? sql`null::uuid` : sql`parent_id`} as parent_id, name from spaces
    where customer_id = ${place.customer_id}
      and ${parentIds === null ? isAtTop(sql, place) : sql`parent_id = any(${parentIds}::uuid[])`}
      and replace(lower(name), 'ς', 'σ') in (
        select replace(lower(wanted), 'ς', 'σ') from unnest(${names}::text[]) as wanted)
    order by id`
}

export async function findSpace(sql: Sql, { customer_id, within }: Place, id: string): Promise<Space | undefined> {
  const [row] = await sql<Space[]>`
    select id, parent_id, name, synced_by, created_at from spaces
    where customer_id = ${customer_id} and id = ${id} ${isReached(sql, within)}`
  return row
}

/** A customer's spaces, or those among them, with all below them, that somebody may reach; null: all. */
export interface Place {
  customer_id: string
  within?: readonly string[] | null
}

/** A condition on `spaces.id`, for few spaces. */
function isReached(sql: Sql, within: Place['within']): Fragment {
  return within ? sql`and spaces_above(spaces.id) && ${[...within]}::uuid[]` : sql``
}

/** A condition on `spaces`: where the tree begins for whoever reaches this place. */
function isAtTop(sql: Sql, { within }: Place): Fragment {
  return within
    ? sql`spaces.id = any(${[...within]}::uuid[]) and not spaces_above(spaces.parent_id) && ${[...within]}::uuid[]`
    : sql`spaces.parent_id is null`
}

/** Those of the ids that are in this place. None of them can be deleted before the transaction ends. */
export async function lockSpaces(sql: Sql, { customer_id, within }: Place, ids: string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from spaces
    where customer_id = ${customer_id} and id = any(${ids}::uuid[]) ${isReached(sql, within)}
    order by id for key share`
  return rows.map(({ id }) => id)
}

export async function listReached(sql: Sql, { customer_id, within }: Place, ids: string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from spaces where customer_id = ${customer_id} and id = any(${ids}::uuid[]) ${isReached(sql, within)}`
  return rows.map(({ id }) => id)
}

export async function listSpaces(sql: Sql, place: Place, { after, limit }: PageRange): Promise<Space[]> {
  const { customer_id, within } = place
  return await sql<Space[]>`
    ${within ? sql`with recursive ${spacesBelow(sql, customer_id, within)}` : sql``}
    select id, parent_id, name, synced_by, created_at from spaces
    where customer_id = ${customer_id} and id > ${after} ${within ? sql`and id in (select id from within)` : sql``}
    order by id limit ${limit}`
}

/** All of them, for an order of names and for paths. */
export async function listByName(sql: Sql, customerId: string): Promise<Pick<Space, 'id' | 'parent_id' | 'name'>[]> {
  return await sql<Pick<Space, 'id' | 'parent_id' | 'name'>[]>`
    select id, parent_id, name from spaces where customer_id = ${customerId} order by lower(name), id`
}

/** The direct children of a parent; with null, the top of the tree. */
export async function listChildren(
  sql: Sql,
  place: Place,
  parentId: string | null,
  { after, limit }: PageRange,
): Promise<Space[]> {
  return await sql<Space[]>`
    select id, parent_id, name, synced_by, created_at from spaces
    where customer_id = ${place.customer_id} and ${parentId === null ? isAtTop(sql, place) : sql`parent_id = ${parentId}`}
      and id > ${after}
    order by id limit ${limit}`
}

/** The spaces along a path from the top, as far as they exist. */
export async function findPath(sql: Sql, place: Place, names: string[]): Promise<Space[]> {
  const { customer_id: customerId } = place
  return await sql<Space[]>`
    with recursive walk as (
      select id, parent_id, name, synced_by, created_at, 1 as depth from spaces
      where customer_id = ${customerId} and ${isAtTop(sql, place)} and name = (${names}::text[])[1]
      union all
      select s.id, s.parent_id, s.name, s.synced_by, s.created_at, walk.depth + 1 from walk
      join spaces s on s.customer_id = ${customerId} and s.parent_id = walk.id and s.name = (${names}::text[])[walk.depth + 1]
    )
    select id, parent_id, name, synced_by, created_at from walk order by depth`
}

/** Whether `id` is the space itself or one of those above it. */
export async function isWithin(sql: Sql, customerId: string, spaceId: string, id: string): Promise<boolean> {
  const rows = await sql`
    with recursive above as (
      select id, parent_id from spaces where customer_id = ${customerId} and id = ${spaceId}
      union all
      select s.id, s.parent_id from above join spaces s on s.customer_id = ${customerId} and s.id = above.parent_id
    )
    select 1 from above where id = ${id}`
  return rows.length > 0
}

export async function countSpaces(sql: Sql, customerId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from spaces where customer_id = ${customerId}`
  return row!.count
}

/** How many levels from the top down to the space, itself included. */
export async function depthOf(sql: Sql, customerId: string, id: string): Promise<number> {
  const [row] = await sql<{ depth: number }[]>`
    with recursive above as (
      select id, parent_id from spaces where customer_id = ${customerId} and id = ${id}
      union all
      select s.id, s.parent_id from above join spaces s on s.customer_id = ${customerId} and s.id = above.parent_id
    )
    select count(*)::int as depth from above`
  return row!.depth
}

/** How many levels from the space down to the lowest below it, itself included. */
export async function heightOf(sql: Sql, customerId: string, id: string): Promise<number> {
  const [row] = await sql<{ height: number }[]>`
    with recursive within as (
      select id, 1 as level from spaces where customer_id = ${customerId} and id = ${id}
      union all
      select s.id, within.level + 1 from within
      join spaces s on s.customer_id = ${customerId} and s.parent_id = within.id
    )
    select coalesce(max(level), 0)::int as height from within`
  return row!.height
}

/** The spaces themselves and all below them; without those that do not exist. */
export async function listWithin(sql: Sql, customerId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`with recursive ${spacesBelow(sql, customerId, ids)} select id from within`
  return rows.map((row) => row.id)
}

/** A digest of the ids of these spaces and all below them. */
export async function markOfTree(sql: Sql, customerId: string, ids: readonly string[]): Promise<string> {
  const [row] = await sql<{ mark: string }[]>`
    with recursive ${spacesBelow(sql, customerId, ids)}
    select coalesce(md5(string_agg(id::text, '' order by id)), '') as mark from within`
  return row!.mark
}

/** Rows of (id): these spaces of the customer and all below them, each once. */
export function spacesBelow(sql: Sql, customerId: string, ids: readonly string[]): Fragment {
  return sql`within as (
      select id from spaces where customer_id = ${customerId} and id = any(${[...ids]}::uuid[])
      union
      select s.id from within join spaces s on s.customer_id = ${customerId} and s.parent_id = within.id
    )`
}

/** Spaces deeper than this are not found by a search; a path is cut off at the top beyond it. */
const maxDepth = 64

export interface SpaceReference {
  id: string
  name: string
}

/** The spaces above one, from the top down. */
export async function listAbove(sql: Sql, customerId: string, id: string): Promise<SpaceReference[]> {
  return await sql<SpaceReference[]>`
    with recursive above as (
      select id, parent_id, name, 0 as height from spaces where customer_id = ${customerId} and id = ${id}
      union all
      select s.id, s.parent_id, s.name, above.height + 1 from above
      join spaces s on s.customer_id = ${customerId} and s.id = above.parent_id
      where above.height < ${maxDepth}
    )
    select id, name from above where height > 0 order by height desc`
}

/** Each of the spaces with itself and those above it. */
export async function listAboveEach(sql: Sql, ids: readonly string[]): Promise<{ id: string; above: string[] }[]> {
  return await sql<{ id: string; above: string[] }[]>`
    select id, spaces_above(id) as above from spaces where id = any(${[...new Set(ids)]}::uuid[])`
}

/** Rows of (of, id, name, height): each of the spaces, of one customer or of any, and those above it. */
export function spacesAbove(sql: Sql, ids: string[], customerId: string | null): Fragment {
  return sql`above as (
      select id as of, id, parent_id, name, 0 as height from spaces
      where id = any(${ids}::uuid[]) ${customerId ? sql`and customer_id = ${customerId}` : sql``}
      union all
      select above.of, s.id, s.parent_id, s.name, above.height + 1 from above
      join spaces s on s.id = above.parent_id
      where above.height < ${maxDepth}
    )`
}

/** Rows of (of, name, height) without the spaces above those that may be reached: nobody sees their names. */
export function cutAbove(sql: Sql, within: Place['within']): Fragment {
  if (!within) return sql`cut as (select * from above)`
  return sql`highest as (
      select of, max(height) as height from above where id = any(${[...within]}::uuid[]) group by of
    ), cut as (
      select above.* from above join highest on highest.of = above.of and above.height <= highest.height
    )`
}

/** Each of the spaces with the names from the top to it. */
export async function listPaths(
  sql: Sql,
  { customer_id, within }: Place,
  ids: string[],
): Promise<{ id: string; path: string[] }[]> {
  return await sql<{ id: string; path: string[] }[]>`
    with recursive ${spacesAbove(sql, ids, customer_id)}, ${cutAbove(sql, within)}
    select of as id, array_agg(name order by height desc) as path from cut group by of`
}

/** Each of the spaces and all below it, by the one they are below. */
export async function listWithinEach(
  sql: Sql,
  customerId: string,
  ids: string[],
): Promise<{ top_id: string; id: string }[]> {
  return await sql<{ top_id: string; id: string }[]>`
    with recursive within as (
      select id as top_id, id from spaces where customer_id = ${customerId} and id = any(${ids}::uuid[])
      union all
      select within.top_id, s.id from within
      join spaces s on s.customer_id = ${customerId} and s.parent_id = within.id
    )
    select top_id, id from within`
}

export interface SpaceMatch extends Space {
  above: SpaceReference[]
}

/**
 * Spaces whose path has every word, those nearest to the top and with the shortest names first. Reads the customer's whole
 * tree, level by level: a word may be in the name of any space above.
 */
export async function searchSpaces(sql: Sql, place: Place, words: string[], limit: number): Promise<SpaceMatch[]> {
  const { customer_id: customerId } = place
  const rows = await sql<(Space & { above_ids: string[]; above_names: string[] })[]>`
    with recursive tree as (
      select id, parent_id, name, synced_by, created_at, array[]::text[] as above_ids, array[]::text[] as above_names,
        lower(name) as words
      from spaces where customer_id = ${customerId} and ${isAtTop(sql, place)}
      union all
      select s.id, s.parent_id, s.name, s.synced_by, s.created_at, tree.above_ids || tree.id::text,
        tree.above_names || tree.name, tree.words || ' ' || lower(s.name)
      from tree join spaces s on s.customer_id = ${customerId} and s.parent_id = tree.id
      where cardinality(tree.above_ids) < ${maxDepth}
    )
    select id, parent_id, name, synced_by, created_at, above_ids, above_names from tree
    where not exists (select from unnest(${words}::text[]) word where position(lower(word) in tree.words) = 0)
    order by cardinality(above_ids), length(name), name, above_names, id limit ${limit}`
  return rows.map(({ above_ids, above_names, ...space }) => ({
    ...space,
    above: above_ids.map((id, index) => ({ id, name: above_names[index]! })),
  }))
}

/** Whether any space below this one is synced. */
export async function hasSyncedBelow(sql: Sql, customerId: string, id: string): Promise<boolean> {
  const rows = await sql`
    with recursive below as (
      select id, synced_by from spaces where customer_id = ${customerId} and parent_id = ${id}
      union all
      select s.id, s.synced_by from below join spaces s on s.customer_id = ${customerId} and s.parent_id = below.id
    )
    select 1 from below where synced_by is not null limit 1`
  return rows.length > 0
}

export async function updateSpace(
  sql: Sql,
  customerId: string,
  { id, name, parent_id, synced_by }: Space,
): Promise<Space> {
  const [row] = await sql<Space[]>`
    update spaces set name = ${name}, parent_id = ${parent_id}, synced_by = ${synced_by}
    where customer_id = ${customerId} and id = ${id}
    returning id, parent_id, name, synced_by, created_at`
  return row!
}

export async function deleteSpace(sql: Sql, customerId: string, id: string): Promise<void> {
  await sql`delete from spaces where customer_id = ${customerId} and id = ${id}`
}

export async function releaseSpaces(sql: Sql, customerId: string, clientId: string): Promise<number> {
  const { count } = await sql`
    update spaces set synced_by = null where customer_id = ${customerId} and synced_by = ${clientId}`
  return count
}
