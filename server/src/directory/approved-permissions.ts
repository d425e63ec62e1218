// What an application asks for, how it compares with what was approved, and the words in which people decide about it.
import {
  type CredentialPermissions,
  levels,
  ofCredential,
  type Permission,
  type RequestedPermissions,
} from './permissions.ts'

export type CredentialArea = keyof CredentialPermissions

export const credentialAreas = ['devices', 'spaces', 'people', 'audit'] as const satisfies CredentialArea[]

export type AskedPermission = Exclude<Permission, `integrations: ${string}`>

export const areaNames: Record<CredentialArea, string> = {
  devices: 'Devices',
  spaces: 'Spaces',
  people: 'People',
  audit: 'Audit log',
}

/** A level beside the name of its area. */
export const levelNames: Record<CredentialPermissions[CredentialArea], string> = {
  none: 'No access',
  read: 'See',
  manage: 'See and manage',
  command: 'See, manage and command',
}

/** Null for `none`. */
export function permissionIn(permissions: CredentialPermissions, area: CredentialArea): AskedPermission | null {
  const level = permissions[area]
  return level === 'none' ? null : (`${area}: ${level}` as AskedPermission)
}

/** What is stored as approved, by area; null is everything. */
export function levelsOf(permissions: CredentialPermissions | null): CredentialPermissions {
  const { devices, spaces, people, audit } = permissions ?? ofCredential
  return { devices, spaces, people, audit }
}

/** What an application asks for, by area; null asks for everything. */
export function askedLevels(requested: RequestedPermissions | null): CredentialPermissions {
  if (requested === null) return levelsOf(null)
  const { devices, spaces, people, audit } = requested
  return {
    devices: devices?.level ?? 'none',
    spaces: spaces?.level ?? 'none',
    people: people?.level ?? 'none',
    audit: audit?.level ?? 'none',
  }
}

/** Null where it is everything, also of an area that may be added one day. */
export function asStored(
  chosen: CredentialPermissions,
  requested: RequestedPermissions | null,
): CredentialPermissions | null {
  return requested === null && areasBeyond(levelsOf(null), chosen).length === 0 ? null : chosen
}

export function stepOf(area: CredentialArea, level: string): number {
  return (levels[area] as readonly string[]).indexOf(level)
}

/** Where `now` has a higher level than `before`. */
export function areasBeyond(now: CredentialPermissions, before: CredentialPermissions): CredentialArea[] {
  return credentialAreas.filter((area) => stepOf(area, now[area]) > stepOf(area, before[area]))
}

/** The levels of one, but those of another in some areas. */
export function withAreas(
  one: CredentialPermissions,
  areas: readonly CredentialArea[],
  other: Partial<CredentialPermissions>,
): CredentialPermissions {
  return { ...one, ...Object.fromEntries(areas.map((area) => [area, other[area]])) }
}

/** For the audit log: `devices: read`, or `everything`. */
export function namesOf(permissions: CredentialPermissions | null): string[] {
  if (permissions === null) return ['everything']
  return credentialAreas.flatMap((area) => permissionIn(permissions, area) ?? [])
}
