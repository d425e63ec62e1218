import type { Sql } from '../../platform/database/sql.ts'
import { listLimits } from '../../platform/own-limits.ts'
import { invalid } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import { findChildrenNamed, insertSpaces, type Space } from '../store/spaces-sql.ts'
import {
  changeTree,
  recordCreation,
  requireParent,
  requireRoomForLevels,
  requireRoomForSpaces,
  type SpaceActor,
  spacesAboveEach,
} from './spaces.ts'

interface ImportedPath {
  space_id: string
  /** How many spaces were created for it; those that an earlier path created count there. */
  created: number
}

/** How far a path has come. */
interface Step {
  path: string[]
  parent_id: string | null
  created: number
}

/**
 * Creates what is missing of many paths, in one transaction: all or nothing, and a repetition creates nothing. Goes down level by
 * level, with two statements for each, whatever the number of paths. Upper and lower case make no difference, since people
 * type these lists; a space with exactly the given name goes first.
 */
export async function importSpaces(
  context: Context,
  who: SpaceActor,
  paths: string[][],
): Promise<{ created: number; results: ImportedPath[] }> {
  requireFew(paths)
  return await changeTree(context, who, async (sql) => {
    const steps: Step[] = paths.map((path) => ({ path, parent_id: null, created: 0 }))
    const created: Space[] = []
    let levels = 0
    for (let depth = 0; ; depth += 1) {
      const going = steps.filter(({ path }) => path.length > depth)
      if (going.length === 0) break
      const spaces = await goDown(context, sql, who, going, depth)
      if (spaces.length > 0) levels = depth + 1
      created.push(...spaces)
    }
    if (created.length > 0) {
      const { length } = created
      await requireRoomForLevels(context, sql, who.customer_id, null, levels + (await levelsAbove(sql, who)))
      await requireRoomForSpaces(context, sql, who.customer_id, { adding: length, inserted: length })
    }
    await recordCreation(context, sql, who, ...created)
    const results = steps.map((step) => ({ space_id: step.parent_id!, created: step.created }))
    return { created: created.length, results }
  })
}

/** Takes every step to its next space, and returns those that had to be created. */
async function goDown(context: Context, sql: Sql, who: SpaceActor, steps: Step[], depth: number): Promise<Space[]> {
  const names = steps.map(({ path }) => path[depth]!)
  const parents = depth === 0 ? null : [...new Set(steps.map(({ parent_id }) => parent_id!))]
  const exact = new Map<string, string>()
  const alike = new Map<string, string>()
  for (const { id, parent_id, name } of await findChildrenNamed(sql, who, parents, names)) {
    exact.set(keyOf(parent_id, name), id)
    const key = keyOf(parent_id, withoutCase(name))
    if (!alike.has(key)) alike.set(key, id)
  }
  const created: Space[] = []
  for (const step of steps) {
    const name = step.path[depth]!
    const key = keyOf(step.parent_id, withoutCase(name))
    let id = exact.get(keyOf(step.parent_id, name)) ?? alike.get(key)
    if (id === undefined) {
      if (step.parent_id === null) await requireParent(sql, who, null)
      id = newId()
      created.push({ id, parent_id: step.parent_id, name, synced_by: null, created_at: context.now() })
      alike.set(key, id)
      step.created += 1
    }
    step.parent_id = id
  }
  if (created.length > 0) await insertSpaces(sql, who.customer_id, created)
  return created
}

/** The deepest of the spaces at which the tree of whoever reaches some only begins. */
async function levelsAbove(sql: Sql, { within }: SpaceActor): Promise<number> {
  const above = within ? await spacesAboveEach(sql, within) : new Map<string, string[]>()
  return Math.max(0, ...[...above.values()].map(({ length }) => length - 1))
}

/** As `findChildrenNamed`. */
function withoutCase(name: string): string {
  return name.toLowerCase().replaceAll('ς', 'σ')
}

function keyOf(parentId: string | null, name: string): string {
  return `${parentId} ${name}`
}

function requireFew(paths: string[][]): void {
  const spaces = new Set(paths.flatMap((path) => path.map((_, depth) => JSON.stringify(path.slice(0, depth + 1)))))
  if (spaces.size <= listLimits.importedSpaces) return
  const message = `must not name more than ${listLimits.importedSpaces} different spaces in all; send fewer paths per call`
  throw invalid({ field: 'paths', message })
}
