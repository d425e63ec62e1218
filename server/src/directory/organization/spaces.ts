import { type Actor, recordAudit } from '../../events/audit.ts'
import { isForeignKeyViolation, isUniqueViolation, transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { requireRoom } from '../../platform/quotas.ts'
import { conflict, found, invalid, notFound, Refusal } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { wordsOf } from '../../platform/words.ts'
import type { Context } from '../context.ts'
import { lockCustomer } from '../store/customers-sql.ts'
import * as store from '../store/spaces-sql.ts'
import { judgeSpaceChange, requireOwnSpace, type SpaceChange, spaceMoveRefused } from './space-rules.ts'

/** Who changes a customer's spaces; `client_id` for an application's token. */
export interface SpaceActor extends store.Place {
  client_id: string | null
  actor: Actor
}

interface SpaceResponse extends store.Space {
  synced: boolean
}

export interface NewSpace {
  name: string
  parent_id?: string | null | undefined
  synced?: boolean | undefined
}

const toResponse = (space: store.Space): SpaceResponse => ({ ...space, synced: space.synced_by !== null })

export async function createSpace(context: Context, who: SpaceActor, input: NewSpace): Promise<SpaceResponse> {
  const space = newSpace(context, who, { ...input, parent_id: input.parent_id ?? null })
  return await changeTree(context, who, async (sql) => {
    await requireParent(sql, who, space.parent_id)
    await requireRoomForLevels(context, sql, who.customer_id, space.parent_id, 1)
    await requireRoomForSpaces(context, sql, who.customer_id, { adding: 1 })
    const created = await store.insertSpace(sql, who.customer_id, space)
    if (!created) throw nameTaken()
    await recordCreation(context, sql, who, created)
    return toResponse(created)
  })
}

export async function getSpace(context: Context, place: store.Place, id: string): Promise<SpaceResponse> {
  return await seenBy(context.sql, place, await requireSpace(context.sql, place, id))
}

async function seenBy(sql: Sql, place: store.Place, space: store.Space): Promise<SpaceResponse> {
  const [seen] = await asSeen(sql, place, [space])
  return toResponse(seen!)
}

/** To whoever reaches some spaces only, these are the top of the tree. */
async function asSeen<Row extends store.Space>(sql: Sql, { within }: store.Place, spaces: Row[]): Promise<Row[]> {
  if (!within) return spaces
  const above = await spacesAboveEach(
    sql,
    spaces.flatMap(({ parent_id }) => parent_id ?? []),
  )
  return spaces.map((space) => {
    const isReached = space.parent_id !== null && above.get(space.parent_id)?.some((id) => within.includes(id))
    return isReached ? space : { ...space, parent_id: null }
  })
}

/** The ids of these spaces and of all below them; without those that this customer does not have. */
export async function spacesWithin(context: Context, customerId: string, ids: readonly string[]): Promise<string[]> {
  return await store.listWithin(context.sql, customerId, ids)
}

/** Changes when a space comes into or leaves these spaces and all below them. */
export async function markOfTree(context: Context, customerId: string, ids: readonly string[]): Promise<string> {
  return await store.markOfTree(context.sql, customerId, ids)
}

/** A space, those above it, whether one below it is synced, and the ids of it and all below it. */
export async function getSpaceTree(context: Context, place: store.Place, id: string) {
  const { customer_id, within } = place
  const space = await getSpace(context, place, id)
  const above = await store.listAbove(context.sql, customer_id, id)
  const synced_below = await store.hasSyncedBelow(context.sql, customer_id, id)
  return {
    ...{ space, above: within ? cutAt(above, within) : above, synced_below },
    within: await store.listWithin(context.sql, customer_id, [id]),
  }
}

/** From the first of them that is reached. */
function cutAt(above: store.SpaceReference[], within: readonly string[]): store.SpaceReference[] {
  const first = above.findIndex(({ id }) => within.includes(id))
  return first === -1 ? [] : above.slice(first)
}

/** A page of the direct children of a space, each with the ids of itself and all below it. */
export async function listChildTrees(
  context: Context,
  place: store.Place,
  parentId: string,
  request: PageRequest,
): Promise<Page<SpaceResponse & { within: string[] }>> {
  const page = await listSpaces(context, place, { ...request, parent_id: parentId })
  const ids = page.items.map((space) => space.id)
  const rows = await store.listWithinEach(context.sql, place.customer_id, ids)
  const within = Map.groupBy(rows, ({ top_id }) => top_id)
  const items = page.items.map((space) => ({ ...space, within: within.get(space.id)?.map(({ id }) => id) ?? [] }))
  return { ...page, items }
}

/** The closest first, in one page: `Oslo ground` finds the ground floor in Oslo. */
export async function searchSpaces(
  context: Context,
  place: store.Place,
  { search = '', limit = 50 }: { search?: string; limit?: number },
) {
  const rows = await store.searchSpaces(context.sql, place, wordsOf(search), limit)
  const seen = await asSeen(context.sql, place, rows)
  return { items: seen.map((row) => ({ ...toResponse(row), above: row.above })), next: null }
}

/** The ids of all spaces, in the order of their names. */
export async function spacesByName(context: Context, customerId: string): Promise<string[]> {
  return (await store.listByName(context.sql, customerId)).map(({ id }) => id)
}

/** Of some spaces, the names from the top to each: `Building A`, `Floor 2`. */
export async function findSpacePaths(sql: Sql, place: store.Place, ids: string[]): Promise<Map<string, string[]>> {
  const rows = ids.length === 0 ? [] : await store.listPaths(sql, place, ids)
  return new Map(rows.map(({ id, path }) => [id, path]))
}

/** Each of the spaces with the ids of itself and of those above it. */
export async function spacesAboveEach(sql: Sql, ids: readonly string[]): Promise<Map<string, string[]>> {
  const known = ids.filter((id) => id !== '')
  const rows = known.length === 0 ? [] : await store.listAboveEach(sql, known)
  return new Map(rows.map(({ id, above }) => [id, above]))
}

/** Those of the ids that are in this place. */
export async function reachedSpaces({ sql }: Context, place: store.Place, ids: string[]): Promise<Set<string>> {
  return new Set(ids.length === 0 ? [] : await store.listReached(sql, place, ids))
}

/** Those of the ids that are in this place, in a transaction that puts something into them. */
export async function keepSpaces(sql: Sql, place: store.Place, ids: string[]): Promise<Set<string>> {
  return new Set(ids.length === 0 ? [] : await store.lockSpaces(sql, place, ids))
}

/** In a transaction that stores these as the spaces of a permission. */
export async function requireSpaces(sql: Sql, customerId: string, ids: readonly string[] | null): Promise<void> {
  const known = await keepSpaces(sql, { customer_id: customerId }, [...new Set(ids ?? [])])
  const unknown = ids?.find((id) => !known.has(id.toLowerCase()))
  if (unknown) throw invalid({ field: 'within', message: 'names a space that this organization does not have' })
}

/** All spaces; with `parent_id` its direct children, with `null` those at the top. */
export async function listSpaces(
  context: Context,
  place: store.Place,
  { parent_id, ...request }: PageRequest & { parent_id?: string | null },
): Promise<Page<SpaceResponse>> {
  const range = pageRange(request)
  if (parent_id) await requireSpace(context.sql, place, parent_id)
  const rows =
    parent_id === undefined
      ? await store.listSpaces(context.sql, place, range)
      : await store.listChildren(context.sql, place, parent_id, range)
  const seen = await asSeen(context.sql, place, rows)
  return toPage(seen.map(toResponse), range, ({ id }) => id)
}

export async function changeSpace(
  context: Context,
  who: SpaceActor,
  { id, ifMatch }: { id: string; ifMatch: string | undefined },
  change: SpaceChange,
): Promise<SpaceResponse> {
  return await changeTree(context, who, async (sql) => {
    const before = await requireSpace(sql, who, id)
    const [seen] = await asSeen(sql, who, [before])
    requireMatch(ifMatch, toResponse(seen!))
    const { parent_id = seen!.parent_id, ...rest } = change
    const stays = parent_id === seen!.parent_id
    const after = judgeSpaceChange(before, stays ? rest : { ...rest, parent_id }, who.client_id)
    const moves = after.parent_id !== before.parent_id
    // A synced space below would move too. Nobody can add one meanwhile, since that needs the customer's lock.
    if (moves && (await store.hasSyncedBelow(sql, who.customer_id, id))) throw spaceMoveRefused()
    if (moves) {
      await requireParent(sql, who, before.parent_id)
      await requireParent(sql, who, after.parent_id)
    }
    if (moves && after.parent_id !== null && (await store.isWithin(sql, who.customer_id, after.parent_id, id))) {
      throw new Refusal(422, 'space_within_itself', 'A space cannot be moved into itself or a space below it.')
    }
    if (moves) {
      const levels = await store.heightOf(sql, who.customer_id, id)
      await requireRoomForLevels(context, sql, who.customer_id, after.parent_id, levels)
    }
    const changed = await store.updateSpace(sql, who.customer_id, after)
    const details = { space_id: id, name: changed.name, previous_name: before.name, parent_id: changed.parent_id }
    const { customer_id, actor } = who
    await recordAudit(sql, { type: 'space.changed', at: context.now(), actor, customer_id, details })
    return await seenBy(sql, who, changed)
  })
}

export async function deleteSpace(context: Context, who: SpaceActor, id: string): Promise<void> {
  await changeTree(context, who, async (sql) => {
    const space = await requireSpace(sql, who, id)
    requireOwnSpace(space, who.client_id)
    await requireParent(sql, who, space.parent_id)
    await store.deleteSpace(sql, who.customer_id, id)
    const { customer_id, actor } = who
    const details = { space_id: id, name: space.name }
    await recordAudit(sql, { type: 'space.deleted', at: context.now(), actor, customer_id, details })
  })
}

/** Creates the missing spaces of a path from the top of the tree. `synced` applies to the last one, if it is created here. */
export async function findOrCreateSpace(
  context: Context,
  who: SpaceActor,
  { path, synced }: { path: string[]; synced?: boolean | undefined },
): Promise<{ space: SpaceResponse; created: boolean }> {
  if (synced) requireApplication(who)
  const found = await store.findPath(context.sql, who, path)
  if (found.length === path.length) return { space: await seenBy(context.sql, who, found.at(-1)!), created: false }
  return await changeTree(context, who, async (sql) => {
    const along = await store.findPath(sql, who, path)
    const created = along.length < path.length
    if (created) {
      await requireParent(sql, who, along.at(-1)?.id ?? null)
      const adding = path.length - along.length
      await requireRoomForLevels(context, sql, who.customer_id, along.at(-1)?.id ?? null, adding)
      await requireRoomForSpaces(context, sql, who.customer_id, { adding })
    }
    for (const [index, name] of path.entries()) {
      if (index < along.length) continue
      const last = index === path.length - 1
      const space = newSpace(context, who, { name, parent_id: along.at(-1)?.id ?? null, synced: last && synced })
      // The name cannot be taken: every new space needs the customer's lock.
      const inserted = await store.insertSpace(sql, who.customer_id, space)
      await recordCreation(context, sql, who, inserted!)
      along.push(inserted!)
    }
    return { space: await seenBy(sql, who, along.at(-1)!), created }
  })
}

/** `inserted` of those counted are the new ones themselves. */
export async function requireRoomForSpaces(
  context: Context,
  sql: Sql,
  customerId: string,
  { adding, inserted = 0 }: { adding: number; inserted?: number },
): Promise<void> {
  const count = async () => (await store.countSpaces(sql, customerId)) - inserted
  await requireRoom(context, sql, 'spaces', { tenant: { customer_id: customerId }, adding, count })
}

export async function requireRoomForLevels(
  context: Context,
  sql: Sql,
  customerId: string,
  parentId: string | null,
  adding: number,
): Promise<void> {
  const count = async () => (parentId === null ? 0 : await store.depthOf(sql, customerId, parentId))
  await requireRoom(context, sql, 'levels', { tenant: { customer_id: customerId }, adding, count })
}

/** Changes of one customer's tree take turns: two moves at once could otherwise form a cycle that neither sees. */
export async function changeTree<T>(context: Context, who: SpaceActor, work: (sql: Sql) => Promise<T>): Promise<T> {
  try {
    return await transaction(context.sql, async (sql) => {
      if (!(await lockCustomer(sql, who.customer_id))) throw notFound('customer')
      return await work(sql)
    })
  } catch (error) {
    if (isUniqueViolation(error, 'spaces_by_name')) throw nameTaken()
    if (isForeignKeyViolation(error, 'spaces_synced_by_approved_application_fkey')) throw applicationRequired()
    // A space below it, or a device in it, still refers to the deleted space.
    if (isForeignKeyViolation(error)) {
      throw conflict('space_not_empty', 'This space is not empty. Move its spaces and devices first.')
    }
    throw error
  }
}

/** The same 404 for an unknown space, another customer's, and one that is not reached. */
async function requireSpace(sql: Sql, place: store.Place, id: string): Promise<store.Space> {
  return found(await store.findSpace(sql, place, id), 'space')
}

/** Where a space is to be put or taken away: the top of the tree belongs to those who reach everything. */
export async function requireParent(sql: Sql, place: store.Place, id: string | null): Promise<void> {
  if (id !== null && (await store.findSpace(sql, place, id))) return
  if (!place.within && id === null) return
  if (!place.within) throw notFound('space')
  const sentence = 'You can create, move and delete spaces below your own, not these themselves and not elsewhere.'
  throw new Refusal(403, 'not_permitted', sentence, { missing: 'spaces: manage' })
}

function newSpace(context: Context, who: SpaceActor, input: NewSpace & { parent_id: string | null }): store.Space {
  const synced_by = input.synced ? requireApplication(who) : null
  return { id: newId(), parent_id: input.parent_id, name: input.name, synced_by, created_at: context.now() }
}

function requireApplication({ client_id }: SpaceActor): string {
  if (client_id === null) throw applicationRequired()
  return client_id
}

export async function recordCreation(
  context: Context,
  sql: Sql,
  { customer_id, actor, client_id }: SpaceActor,
  ...spaces: store.Space[]
): Promise<void> {
  const at = context.now()
  const about = { customer_id, ...(client_id ? { application_id: client_id } : {}) }
  const events = spaces.map(({ id, name, parent_id, synced_by }) => {
    const details = { space_id: id, name, parent_id, synced: synced_by !== null }
    return { type: 'space.created' as const, at, actor, ...about, details }
  })
  await recordAudit(sql, ...events)
}

const nameTaken = () => conflict('name_taken', 'There is already a space of that name here.')

const applicationRequired = () =>
  new Refusal(
    403,
    'application_required',
    'Only the token of an application that this customer approved can sync a space.',
  )

/** The application stops syncing its spaces, which stay and can be moved again. Returns how many. */
export async function releaseSpaces(sql: Sql, customerId: string, clientId: string): Promise<number> {
  return await store.releaseSpaces(sql, customerId, clientId)
}
