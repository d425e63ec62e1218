import {
  areasBeyond,
  askedLevels,
  asStored,
  type CredentialArea,
  levelsOf,
  withAreas,
} from '../../directory/approved-permissions.ts'
import type { CredentialPermissions, RequestedPermissions } from '../../directory/permissions.ts'

/** As it is stored with an approval: null permissions are everything, null spaces everywhere. */
export interface ApprovedReach {
  permissions: CredentialPermissions | null
  within: string[] | null
}

/** What the consent screen sent; what it left out is as the screen preselects it. */
export interface ReachChoice {
  levels: Partial<CredentialPermissions>
  within: string[] | null | undefined
}

export interface Decidable {
  requested_permissions: RequestedPermissions | null
  approved: boolean
  permissions: CredentialPermissions | null
  within: string[] | null
  /** What was asked for when it was approved. */
  asked_before: CredentialPermissions | null
}

/** The areas in which the application asks for more than when it was approved (decision 6.50). */
export function newAreas(row: Decidable): CredentialArea[] {
  if (!row.approved) return []
  return areasBeyond(askedLevels(row.requested_permissions), levelsOf(row.asked_before))
}

/** The highest levels that a decision may give: what is asked for, or what an administrator has given already. */
export function ceilingOf(row: Decidable): CredentialPermissions {
  const asked = askedLevels(row.requested_permissions)
  if (!row.approved) return asked
  const given = levelsOf(row.permissions)
  return withAreas(asked, areasBeyond(given, asked), given)
}

/** What the screen preselects: all that is asked for; of an approval that exists only what is new. */
export function preselected(row: Decidable): CredentialPermissions {
  const asked = askedLevels(row.requested_permissions)
  if (!row.approved) return asked
  const given = levelsOf(row.permissions)
  const added = newAreas(row).filter((area) => areasBeyond(asked, given).includes(area))
  return withAreas(given, added, asked)
}

/** What a decision stores; null when it would give more than was asked for. */
export function decideReach(row: Decidable, choice: ReachChoice): ApprovedReach | null {
  const chosen = { ...preselected(row), ...choice.levels }
  if (areasBeyond(chosen, ceilingOf(row)).length > 0) return null
  const within = choice.within === undefined ? (row.approved ? row.within : null) : choice.within
  return { permissions: asStored(chosen, row.requested_permissions), within }
}

/** Whether the choice is what has been approved. */
export function isApprovedAs(row: Decidable, choice: ReachChoice): boolean {
  const [given, chosen] = [levelsOf(row.permissions), { ...levelsOf(row.permissions), ...choice.levels }]
  const same = areasBeyond(given, chosen).length === 0 && areasBeyond(chosen, given).length === 0
  const spaces = (within: string[] | null) => JSON.stringify(within && [...within].sort())
  return same && (choice.within === undefined || spaces(choice.within) === spaces(row.within))
}
