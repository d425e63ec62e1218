// What the contract (1.6), docs/portals.md and the API document say about spaces.
import { type Match, type Verdict, verdict } from './verdict.ts'

export type Application = 'bearer' | 'other_app'

export interface Space {
  id: string
  name: string
  parent: Space | null
  /** The application that keeps it in sync. */
  syncedBy: Application | null
  deleted: boolean
}

export interface Spaces {
  /** Those that were deleted too. */
  spaces: Space[]
  /** Where the organization's only device is. */
  deviceIn: Space | null
  /** Applications whose approval stands. */
  approved: Set<Application>
  maxSpaces: number
  maxLevels: number
}

/** Credentials of the organization (two applications among them), a viewer, one who left, and another organization. */
export const actors = ['session', 'api_key', 'bearer', 'other_app', 'viewer', 'removed', 'stranger', 'nobody'] as const
export type Actor = (typeof actors)[number]

export const live = ({ spaces }: Spaces): Space[] => spaces.filter(({ deleted }) => !deleted)
const childrenOf = (state: Spaces, parent: Space | null) => live(state).filter((space) => space.parent === parent)
const isNamed = (name: string) => (space: Space) => space.name === name
const depthOf = (space: Space | null): number => (space ? 1 + depthOf(space.parent) : 0)
const isWithin = (space: Space | null, top: Space): boolean =>
  space !== null && (space === top || isWithin(space.parent, top))
const below = (state: Spaces, top: Space) => live(state).filter((space) => space !== top && isWithin(space, top))
const heightOf = (state: Spaces, top: Space) =>
  1 + Math.max(0, ...below(state, top).map((space) => depthOf(space) - depthOf(top)))

const isApplication = (who: Actor): who is Application => who === 'bearer' || who === 'other_app'

/** Without a valid credential, or without the right, whatever the call is about. */
function refusedBefore(state: Spaces, who: Actor, kind: 'read' | 'change') {
  return {
    '401': who === 'nobody' || (isApplication(who) && !state.approved.has(who)),
    '403 administrators_only': who === 'removed' || (who === 'viewer' && kind === 'change'),
  }
}

function judge(before: Record<string, boolean>, status: number, rest: Record<string, boolean>): Verdict {
  return Object.values(before).some(Boolean) ? verdict(status, before) : verdict(status, rest)
}

/** To the caller, a space that was deleted and one of another organization are the same. */
const isUnknown = (who: Actor, space: Space) => space.deleted || who === 'stranger'

export function creating(
  state: Spaces,
  { who, name, parent, synced }: { who: Actor; name: string; parent: Space | null; synced: boolean },
): Verdict {
  return judge(refusedBefore(state, who, 'change'), 201, {
    '403 application_required': synced && !isApplication(who),
    '404 not_found': parent !== null && isUnknown(who, parent),
    '409 name_taken': childrenOf(state, parent).some(isNamed(name)),
    '409 too_many_levels': depthOf(parent) + 1 > state.maxLevels,
    '409 too_many_spaces': live(state).length + 1 > state.maxSpaces,
  })
}

export function reading(state: Spaces, who: Actor, space: Space): Verdict {
  return judge(refusedBefore(state, who, 'read'), 200, { '404 not_found': isUnknown(who, space) })
}

export function listing(state: Spaces, who: Actor): Verdict {
  return verdict(200, refusedBefore(state, who, 'read'))
}

/** The names of the spaces above, from the top, and its own. */
export const pathOf = (space: Space | null): string[] => (space ? [...pathOf(space.parent), space.name] : [])

export interface Change {
  name?: string | undefined
  parent?: Space | null | undefined
  stopSyncing?: boolean | undefined
}

export function changing(
  state: Spaces,
  { who, space, change, match }: { who: Actor; space: Space; change: Change; match: Match },
): Verdict {
  const unknown = isUnknown(who, space)
  const { name = space.name, parent = space.parent, stopSyncing = false } = change
  const isOthers = space.syncedBy !== null && space.syncedBy !== who
  const moves = parent !== space.parent
  const staysSynced = space.syncedBy !== null && !stopSyncing
  const syncedBelow = below(state, space).some(({ syncedBy }) => syncedBy !== null)
  const siblings = childrenOf(state, parent).filter((other) => other !== space)
  const rest: Record<string, boolean> = {
    '412 changed_meanwhile': match === 'stale',
    // The organization itself may rename what an application syncs, but only that application stops syncing.
    '403 synced_by_another': isOthers && (stopSyncing || (name !== space.name && isApplication(who))),
    '422 space_move_refused': moves && (staysSynced || syncedBelow),
    '404 not_found': parent !== null && moves && isUnknown(who, parent),
    '422 space_within_itself': moves && isWithin(parent, space),
    '409 name_taken': siblings.some(isNamed(name)),
    '409 too_many_levels': moves && depthOf(parent) + heightOf(state, space) > state.maxLevels,
  }
  return judge(refusedBefore(state, who, 'change'), 200, unknown ? { '404 not_found': true } : rest)
}

export function applyChange(space: Space, { name, parent, stopSyncing }: Change): void {
  if (name !== undefined) space.name = name
  if (parent !== undefined) space.parent = parent
  if (stopSyncing) space.syncedBy = null
}

export function deleting(state: Spaces, who: Actor, space: Space): Verdict {
  const unknown = isUnknown(who, space)
  const isOthers = isApplication(who) && space.syncedBy !== null && space.syncedBy !== who
  return judge(refusedBefore(state, who, 'change'), 204, {
    '404 not_found': unknown,
    '403 synced_by_another': !unknown && isOthers,
    '409 space_not_empty': !unknown && (childrenOf(state, space).length > 0 || state.deviceIn === space),
  })
}

/** How much of a path exists, from the top: names are compared with or without case. */
export function alongPath(
  state: Spaces,
  path: string[],
  same = (one: string, other: string) => one === other,
): Space[] {
  const along: Space[] = []
  for (const name of path) {
    const candidates = childrenOf(state, along.at(-1) ?? null)
    const next = candidates.find(isNamed(name)) ?? candidates.find((space) => same(space.name, name))
    if (!next) break
    along.push(next)
  }
  return along
}

export function finding(
  state: Spaces,
  { who, path, synced }: { who: Actor; path: string[]; synced: boolean },
): Verdict {
  const missing = path.length - alongPath(state, path).length
  return judge(refusedBefore(state, who, 'change'), missing > 0 ? 201 : 200, {
    '403 application_required': synced && !isApplication(who),
    '409 too_many_levels': missing > 0 && path.length > state.maxLevels,
    '409 too_many_spaces': missing > 0 && live(state).length + missing > state.maxSpaces,
  })
}

/** By Unicode's simple folding, in which Σ, σ and ς are one letter. */
export const sameIgnoringCase = (one: string, other: string): boolean =>
  new RegExp(`^${one.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`, 'iu').test(other)

/** The spaces that an import would add, in the order of the paths, and the last space of each path. */
export function importing(
  state: Spaces,
  who: Actor,
  paths: string[][],
): { verdict: Verdict; after: Spaces; ends: Space[] } {
  const after: Spaces = { ...state, spaces: [...state.spaces] }
  let deepest = 0
  const ends = paths.map((path) => {
    const along = alongPath(after, path, sameIgnoringCase)
    for (const name of path.slice(along.length)) {
      const space = { id: '', name, parent: along.at(-1) ?? null, syncedBy: null, deleted: false }
      after.spaces.push(space)
      along.push(space)
      deepest = Math.max(deepest, along.length)
    }
    return along.at(-1)!
  })
  const judged = judge(refusedBefore(state, who, 'change'), 200, {
    '409 too_many_levels': deepest > state.maxLevels,
    '409 too_many_spaces': after.spaces.length > state.spaces.length && live(after).length > state.maxSpaces,
  })
  return { verdict: judged, after, ends }
}

/** Withdrawing the approval releases what the application synced; its tokens end. */
export function withdraw(state: Spaces, application: Application): number {
  const released = live(state).filter(({ syncedBy }) => syncedBy === application)
  for (const space of released) space.syncedBy = null
  state.approved.delete(application)
  return released.length
}
