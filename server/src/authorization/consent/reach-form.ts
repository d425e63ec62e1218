import { credentialAreas, stepOf } from '../../directory/approved-permissions.ts'
import type { CredentialPermissions, RequestedPermissions } from '../../directory/permissions.ts'
import type { Parameters } from '../../platform/http/form.ts'
import { partLimits } from '../../platform/own-limits.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import type { ReachChoice } from './approved-reach.ts'

/** What the screen showed as asked for: who decides must have seen it. */
export const askedField = 'asked'

export function askedText(requested: RequestedPermissions | null): string {
  if (requested === null) return 'everything'
  return credentialAreas.map((area) => `${area}:${requested[area]?.level ?? 'none'}`).join(' ')
}

/** Sent for a row that was shown as approved. */
export function approvedField(customerId: string): string {
  return `approved_${customerId}`
}

/** The fields of one customer's row: the form has those of all rows. */
export function levelField(area: string, customerId: string): string {
  return `${area}_${customerId}`
}

export function whereField(customerId: string): string {
  return `where_${customerId}`
}

export function spaceField(customerId: string): string {
  return `space_id_${customerId}`
}

/** Undefined when the form has none of these fields; a sentence when they do not fit together. */
export function readReach(form: Parameters, customerId: string): ReachChoice | undefined | string {
  const levels: Partial<Record<string, string>> = {}
  const names = [...credentialAreas.map((area) => levelField(area, customerId)), whereField(customerId)]
  if (form.repeated(...names)) return 'Choose one level in each area, and one place.'
  for (const area of credentialAreas) {
    const level = form.get(levelField(area, customerId))
    if (level === undefined) continue
    if (stepOf(area, level) < 0) return 'Choose what it may do.'
    levels[area] = level
  }
  const within = readWithin(form, customerId)
  if (typeof within === 'string') return within
  if (within === undefined && Object.keys(levels).length === 0) return undefined
  return { levels: levels as Partial<CredentialPermissions>, within }
}

function readWithin(form: Parameters, customerId: string): ReachChoice['within'] | string {
  const where = form.get(whereField(customerId))
  const spaces = [...new Set(form.all(spaceField(customerId)))]
  // Whoever ticked spaces means them, also where a browser shows both at once.
  if (where === 'everywhere' || where === undefined)
    return spaces.length > 0 ? 'You ticked spaces: choose “only in these spaces”, or untick them.' : where && null
  if (where !== 'spaces') return 'Choose where it may do this.'
  if (spaces.length === 0) return 'Choose at least one space, or everywhere.'
  if (spaces.length > partLimits.spacesOfPermission) return `Choose at most ${partLimits.spacesOfPermission} spaces.`
  return spaces.every(isId) ? spaces : 'Choose spaces of this organization.'
}
