import { Refusal } from '../../platform/refusal.ts'
import type { Space } from '../store/spaces-sql.ts'

export interface SpaceChange {
  name?: string | undefined
  /** `null` moves it to the top of the tree. */
  parent_id?: string | null | undefined
  /** The application stops syncing the space, which can then be moved. */
  synced?: false | undefined
}

/** The customer itself may change a synced space, but no application other than its own (decision 7.14). */
export function requireOwnSpace(space: Space, clientId: string | null): void {
  if (space.synced_by === null || clientId === null || space.synced_by === clientId) return
  const sentence =
    'Another application keeps this space in sync. Only that application or the organization itself can rename or ' +
    'delete it.'
  throw new Refusal(403, 'synced_by_another', sentence)
}

export function spaceMoveRefused(): Refusal {
  const sentence =
    "This space, or one below it, is kept in sync with a partner's cloud, so it cannot be moved. It can be moved once the " +
    'application stops syncing it, or is revoked under connected apps.'
  return new Refusal(422, 'space_move_refused', sentence)
}

/** The space after the change. Refuses to move a synced space (contract 1.6); the caller checks the spaces below it. */
export function judgeSpaceChange(space: Space, change: SpaceChange, clientId: string | null): Space {
  const moves = change.parent_id !== undefined && change.parent_id !== space.parent_id
  const stopsSyncing = change.synced === false && space.synced_by !== null
  if (stopsSyncing && space.synced_by !== clientId) {
    const sentence =
      'Another application keeps this space in sync. Only that application can stop it, or an administrator by revoking ' +
      'the application under connected apps.'
    throw new Refusal(403, 'synced_by_another', sentence)
  }
  if (moves && space.synced_by !== null && !stopsSyncing) throw spaceMoveRefused()
  if (change.name !== undefined && change.name !== space.name) requireOwnSpace(space, clientId)
  return {
    ...space,
    name: change.name ?? space.name,
    parent_id: change.parent_id === undefined ? space.parent_id : change.parent_id,
    synced_by: stopsSyncing ? null : space.synced_by,
  }
}
