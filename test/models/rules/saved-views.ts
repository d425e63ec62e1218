// What docs/portals.md and the API document say about saved views of the device list.
import { type Match, type Verdict, verdict } from './verdict.ts'

export interface View {
  id: string
  name: string
  query: Record<string, unknown>
  deleted: boolean
}

export interface Views {
  /** Those that were deleted too. */
  views: View[]
  max: number
}

/** The three credentials of the organization; a member who may view; one who left; another organization's administrator. */
export const viewers = ['session', 'api_key', 'bearer', 'viewer', 'removed', 'stranger'] as const
export type Viewer = (typeof viewers)[number]

export interface Change {
  who: Viewer
  which: number
  match: Match
  name?: string
  query?: Record<string, unknown>
}

export const live = ({ views }: Views): View[] => views.filter(({ deleted }) => !deleted)

/** Upper and lower case make no difference. */
const isNamed = (name: string) => (view: View) => view.name.toLowerCase() === name.toLowerCase()

const isOutside = (who: Viewer) => who === 'removed'
const cannotChange = (who: Viewer) => who === 'removed' || who === 'viewer'

/** Whether this one sees the views of the organization at all. */
export const sees = (who: Viewer): boolean => who !== 'stranger' && who !== 'removed'

export function creating(state: Views, who: Viewer, name: string): Verdict {
  return verdict(201, {
    '403 administrators_only': cannotChange(who),
    '409 name_taken': who !== 'stranger' && live(state).some(isNamed(name)),
    '409 too_many_views': who !== 'stranger' && live(state).length >= state.max,
  })
}

export function reading(who: Viewer, view: View): Verdict {
  return verdict(200, {
    '403 administrators_only': isOutside(who),
    '404 not_found': !isOutside(who) && (view.deleted || who === 'stranger'),
  })
}

export function changing(
  state: Views,
  { who, view, name, match }: { who: Viewer; view: View; name: string | undefined; match: Match },
): Verdict {
  const refused = cannotChange(who)
  const unknown = view.deleted || who === 'stranger'
  const others = live(state).filter((other) => other !== view)
  return verdict(200, {
    '403 administrators_only': refused,
    '404 not_found': !refused && unknown,
    '412 changed_meanwhile': !refused && !unknown && match === 'stale',
    '409 name_taken': !refused && !unknown && name !== undefined && others.some(isNamed(name)),
  })
}

export function deleting(who: Viewer, view: View): Verdict {
  const refused = cannotChange(who)
  return verdict(204, {
    '403 administrators_only': refused,
    '404 not_found': !refused && (view.deleted || who === 'stranger'),
  })
}
