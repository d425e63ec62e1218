// What somebody may do and why, in words.
import type { Access, RoleInSpace } from '../api/organization.ts'
import { areaLabels, areas, permissionText } from '../components/form/permissions.ts'

export const roleNames: Record<RoleInSpace['role'], string> = {
  viewer: 'Viewer',
  operator: 'Operator',
  manager: 'Manager',
}

export const roleMeanings: Record<RoleInSpace['role'], string> = {
  viewer: 'Sees devices and spaces',
  operator: 'Also changes and commands devices',
  manager: 'Also manages spaces, and sees the audit log',
}

/** `Everything`, `Nothing`, or `Devices: see and manage · Spaces: see` */
export function mayDoText({ permissions }: Pick<Access, 'permissions'>): string {
  return permissions.integrations === 'manage' ? 'Everything' : permissionText(permissions)
}

const briefly: Record<string, string> = { read: 'see', manage: 'manage', command: 'command' }

/** The same for a narrow column: `Devices: manage · Spaces: see`; a level includes those before it. */
export function mayDoBriefly({ permissions }: Pick<Access, 'permissions'>): string {
  const whole = mayDoText({ permissions })
  const given = areas.filter((area) => permissions[area] !== 'none')
  if (given.length === 0 || !whole.includes(':')) return whole
  return given.map((area) => `${areaLabels[area]}: ${briefly[permissions[area]]}`).join(' · ')
}

type Held = Access['held'][number]

/** `Manager of Oslo / Ground floor, by the group Technicians` */
export function reasonText({ by, within, permissions }: Held): string {
  if (by.kind === 'administrator') return 'Administrator'
  const where = within === null ? null : placesText(within)
  if (by.kind === 'role') {
    const role = roleNames[by.role!]
    const group = by.group ? `, by the group ${by.group.name}` : ''
    return `${role} ${where === null ? 'of everything' : `of ${where}`}${group}`
  }
  const given = by.kind === 'approval' ? 'Approved' : 'Given'
  const what = permissionText(permissions) === 'Everything' ? 'everything' : 'this'
  return `${given} for ${what}${where === null ? '' : `, in ${where}`}`
}

function placesText(within: NonNullable<Held['within']>): string {
  const places = within.map(({ path }) => path?.join(' / ') ?? 'a space that was deleted, which covers nothing')
  if (places.length === 0) return 'no space, which covers nothing'
  return places.length === 1 ? places[0]! : `${places.slice(0, -1).join(', ')} and ${places.at(-1)}`
}

/** The first few of them, and how many more there are. */
export function someReasons(access: Access, shown: number): { reasons: string[]; more: string | null } {
  const all = access.held.map(reasonText)
  if (all.length <= shown && !access.more) return { reasons: all, more: null }
  const left = all.length - shown
  return { reasons: all.slice(0, shown), more: access.more ? `more than ${left} others` : `${left} more` }
}

/** Why an account that holds something may do nothing. */
export const inactiveText: Record<Access['kind'], string> = {
  user: 'Deactivated',
  application: 'Disabled',
  api_key: 'Expired',
}
