import type { Context } from '../../context.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { isForeignKeyViolation, isUniqueViolation, transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { conflict, notFound, Refusal } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { lockCustomer } from '../store/customers.ts'
import * as store from '../store/spaces.ts'
import { judgeSpaceChange, requireOwnSpace, type SpaceChange, spaceMoveRefused } from './space-rules.ts'

export type { SpaceChange } from './space-rules.ts'

/** Who acts on a customer's tree: `client_id` where it is an application's token. */
export interface SpaceActor {
  customer_id: string
  client_id: string | null
  actor: Actor
}

export interface SpaceResponse extends store.Space {
  synced: boolean
}

export interface NewSpace {
  name: string
  parent_id?: string | null | undefined
  synced?: boolean | undefined
}

const show = (space: store.Space): SpaceResponse => ({ ...space, synced: space.synced_by !== null })

export async function createSpace(context: Context, who: SpaceActor, input: NewSpace): Promise<SpaceResponse> {
  const space = newSpace(context, who, { ...input, parent_id: input.parent_id ?? null })
  return await changingTree(context, who, async (sql) => {
    if (space.parent_id) await requireSpace(sql, who, space.parent_id)
    const made = await store.insertSpace(sql, who.customer_id, space)
    if (!made) throw nameTaken()
    await recordCreation(context, sql, who, made)
    return show(made)
  })
}

export async function getSpace(context: Context, customerId: string, id: string): Promise<SpaceResponse> {
  const space = await store.findSpace(context.sql, customerId, id)
  if (!space) throw notFound('space')
  return show(space)
}

/** The ids of a space and of all below it; none where this customer has no such space. */
export async function spacesWithin(context: Context, customerId: string, id: string): Promise<string[]> {
  return await store.listWithin(context.sql, customerId, id)
}

/** All of them; with `parent_id` those right under it, with `null` those at the top. */
export async function listSpaces(
  context: Context,
  customerId: string,
  { parent_id, ...request }: PageRequest & { parent_id?: string | null },
): Promise<Page<SpaceResponse>> {
  const range = pageRange(request)
  if (parent_id) await requireSpace(context.sql, { customer_id: customerId }, parent_id)
  const rows =
    parent_id === undefined
      ? await store.listSpaces(context.sql, customerId, range)
      : await store.listChildren(context.sql, customerId, parent_id, range)
  return toPage(rows.map(show), range, ({ id }) => id)
}

/** Rename, move, let go: all that is asked for, or nothing. */
export async function changeSpace(
  context: Context,
  who: SpaceActor,
  { id, ifMatch }: { id: string; ifMatch: string | undefined },
  change: SpaceChange,
): Promise<SpaceResponse> {
  return await changingTree(context, who, async (sql) => {
    const before = await requireSpace(sql, who, id)
    requireMatch(ifMatch, show(before))
    const after = judgeSpaceChange(before, change, who.client_id)
    const moves = after.parent_id !== before.parent_id
    // A synced space below would move along; nobody can add one meanwhile, since that takes the customer's lock too.
    if (moves && (await store.hasSyncedBelow(sql, who.customer_id, id))) throw spaceMoveRefused()
    if (moves && after.parent_id !== null) {
      await requireSpace(sql, who, after.parent_id)
      if (await store.isWithin(sql, who.customer_id, after.parent_id, id)) {
        throw new Refusal(422, 'space_within_itself', 'A space cannot be moved into itself or a space below it.')
      }
    }
    const changed = await store.updateSpace(sql, who.customer_id, after)
    const details = { space_id: id, name: changed.name, previous_name: before.name, parent_id: changed.parent_id }
    const { customer_id, actor } = who
    await recordAudit(sql, { type: 'space.changed', at: context.now(), actor, customer_id, details })
    return show(changed)
  })
}

export async function deleteSpace(context: Context, who: SpaceActor, id: string): Promise<void> {
  await changingTree(context, who, async (sql) => {
    const space = await requireSpace(sql, who, id)
    requireOwnSpace(space, who.client_id)
    await store.deleteSpace(sql, who.customer_id, id)
    const { customer_id, actor } = who
    const details = { space_id: id, name: space.name }
    await recordAudit(sql, { type: 'space.deleted', at: context.now(), actor, customer_id, details })
  })
}

/** A path from the top of the tree: what exists is found, what is missing is made. `synced` is for a last one made now. */
export async function findOrCreateSpace(
  context: Context,
  who: SpaceActor,
  { path, synced }: { path: string[]; synced?: boolean | undefined },
): Promise<{ space: SpaceResponse; created: boolean }> {
  if (synced) requireApplication(who)
  const found = await store.findPath(context.sql, who.customer_id, path)
  if (found.length === path.length) return { space: show(found.at(-1)!), created: false }
  return await changingTree(context, who, async (sql) => {
    const along = await store.findPath(sql, who.customer_id, path)
    const created = along.length < path.length
    for (const [index, name] of path.entries()) {
      if (index < along.length) continue
      const last = index === path.length - 1
      const space = newSpace(context, who, { name, parent_id: along.at(-1)?.id ?? null, synced: last && synced })
      // Never taken: everyone who makes a space holds the customer's lock.
      const made = await store.insertSpace(sql, who.customer_id, space)
      await recordCreation(context, sql, who, made!)
      along.push(made!)
    }
    return { space: show(along.at(-1)!), created }
  })
}

/** Changes of one customer's tree take turns: two moves at once could otherwise close a circle that neither sees. */
async function changingTree<T>(context: Context, who: SpaceActor, work: (sql: Sql) => Promise<T>): Promise<T> {
  try {
    return await transaction(context.sql, async (sql) => {
      if (!(await lockCustomer(sql, who.customer_id))) throw notFound('customer')
      return await work(sql)
    })
  } catch (error) {
    if (isUniqueViolation(error, 'spaces_by_name')) throw nameTaken()
    if (isForeignKeyViolation(error, 'synced_by_an_approved_application')) throw applicationRequired()
    // What still points at a deleted space: a space below it, or a device in it.
    if (isForeignKeyViolation(error)) {
      throw conflict('space_not_empty', 'A space is deleted when it is empty: move its spaces and devices away first.')
    }
    throw error
  }
}

/** A space that is unknown and one of another customer are the same 404. */
async function requireSpace(sql: Sql, { customer_id }: { customer_id: string }, id: string): Promise<store.Space> {
  const space = await store.findSpace(sql, customer_id, id)
  if (!space) throw notFound('space')
  return space
}

function newSpace(context: Context, who: SpaceActor, input: NewSpace & { parent_id: string | null }): store.Space {
  const synced_by = input.synced ? requireApplication(who) : null
  return { id: newId(), parent_id: input.parent_id, name: input.name, synced_by, created_at: context.now() }
}

function requireApplication({ client_id }: SpaceActor): string {
  if (client_id === null) throw applicationRequired()
  return client_id
}

async function recordCreation(context: Context, sql: Sql, who: SpaceActor, space: store.Space): Promise<void> {
  const { customer_id, actor, client_id } = who
  const details = { space_id: space.id, name: space.name, parent_id: space.parent_id, synced: space.synced_by !== null }
  const about = { customer_id, ...(client_id ? { application_id: client_id } : {}) }
  await recordAudit(sql, { type: 'space.created', at: context.now(), actor, ...about, details })
}

const nameTaken = () => conflict('name_taken', 'There is a space of that name at this place already.')

const applicationRequired = () =>
  new Refusal(403, 'application_required', 'Only the token of an application this customer approved can sync a space.')

/** An application lets go of the spaces its cloud kept: they stay, and can be moved again. Answers how many. */
export async function releaseSpaces(sql: Sql, customerId: string, clientId: string): Promise<number> {
  return await store.releaseSpaces(sql, customerId, clientId)
}
