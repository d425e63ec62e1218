import { Refusal } from '../../platform/refusal.ts'
import type { Space } from '../store/spaces.ts'

export interface SpaceChange {
  name?: string | undefined
  /** `null` moves it to the top of the tree. */
  parent_id?: string | null | undefined
  /** The application lets go: the space stays, and can be moved from then on. */
  synced?: false | undefined
}

/** A synced space belongs to its application: the customer itself may act on it, another application may not. */
export function requireOwnSpace(space: Space, clientId: string | null): void {
  if (space.synced_by === null || clientId === null || space.synced_by === clientId) return
  const sentence =
    'This space is kept in sync by another application. Only that application, or the organization itself, can rename ' +
    'or delete it.'
  throw new Refusal(403, 'synced_by_another', sentence)
}

export function spaceMoveRefused(): Refusal {
  const sentence =
    "This space, or one below it, is kept in sync with a partner's cloud, so it cannot be moved under another space. It " +
    'can be moved once the application lets go of the synced space or is revoked under connected apps.'
  return new Refusal(422, 'space_move_refused', sentence)
}

/** What the space will be; refuses what spec 1.6 rules out, except for a move that takes a synced space below it along. */
export function judgeSpaceChange(space: Space, change: SpaceChange, clientId: string | null): Space {
  const moves = change.parent_id !== undefined && change.parent_id !== space.parent_id
  const letsGo = change.synced === false && space.synced_by !== null
  if (letsGo && space.synced_by !== clientId) {
    const sentence =
      'This space is kept in sync by another application: only that one can let go of it, or an administrator by ' +
      'revoking the application under connected apps.'
    throw new Refusal(403, 'synced_by_another', sentence)
  }
  if (moves && space.synced_by !== null && !letsGo) throw spaceMoveRefused()
  if (change.name !== undefined && change.name !== space.name) requireOwnSpace(space, clientId)
  return {
    ...space,
    name: change.name ?? space.name,
    parent_id: change.parent_id === undefined ? space.parent_id : change.parent_id,
    synced_by: letsGo ? null : space.synced_by,
  }
}
