// What a caller may do in an organization: one vocabulary, and the only place that decides.

/** What can be permitted, in steps, each of which includes the ones before it. */
export const levels = {
  devices: ['none', 'read', 'manage', 'command'],
  spaces: ['none', 'read', 'manage'],
  people: ['none', 'read', 'manage'],
  audit: ['none', 'read'],
  /** API keys and connected apps: of people only, since no credential may extend its own reach. */
  integrations: ['none', 'manage'],
} as const

export type Area = keyof typeof levels

export type Permissions = { readonly [Of in Area]: (typeof levels)[Of][number] }

/** What an application or an API key can be given: all but what only people may do. */
export type CredentialPermissions = Omit<Permissions, 'integrations'>

/** What an application asks for, and why, as people read it at consent; an area that is absent is none. */
export type RequestedPermissions = {
  [Of in keyof CredentialPermissions]?: { level: CredentialPermissions[Of]; reason: string }
}

/** As it is stored: in the order of the vocabulary, without what is none. */
export function withoutNone(asked: RequestedPermissions): RequestedPermissions {
  const areas = (Object.keys(levels) as (keyof RequestedPermissions)[]).filter(
    (area) => (asked[area]?.level ?? 'none') !== 'none',
  )
  return Object.fromEntries(areas.map((area) => [area, asked[area]]))
}

/** Without the reasons. */
export function permissionsOf(asked: RequestedPermissions): Permission[] {
  return Object.entries(asked).map(([area, { level }]) => `${area}: ${level}` as Permission)
}

type StepsOf<Of extends Area> = `${Of}: ${Exclude<(typeof levels)[Of][number], 'none'>}`

/** One step of one area, as it is written in the API document: `devices: read`. */
export type Permission = { [Of in Area]: StepsOf<Of> }[Area]

/** What an operation asks of its caller: a permission, or nothing but to belong to the organization. */
export type Needed = Permission | 'none'

/** Permissions, and the spaces in which they count together with everything below; null: everywhere. */
export interface Allowance {
  readonly permissions: Permissions
  readonly within: readonly string[] | null
}

/** All that a caller may do. */
export type Reach = readonly Allowance[]

/** An administrator's. */
export const everything: Permissions = {
  devices: 'command',
  spaces: 'manage',
  people: 'manage',
  audit: 'read',
  integrations: 'manage',
}

export const nothing: Permissions = {
  devices: 'none',
  spaces: 'none',
  people: 'none',
  audit: 'none',
  integrations: 'none',
}

/** Of a token or an API key that nobody narrowed: the contract's full reach, but for what only people may do and for commands, which are given apart. */
export const ofCredential: Permissions = { ...everything, devices: 'manage', integrations: 'none' }

/** What a role lets a member do in a space and below it. */
export const ofRole = {
  viewer: { ...nothing, devices: 'read', spaces: 'read' },
  operator: { ...nothing, devices: 'command', spaces: 'read' },
  manager: { ...nothing, devices: 'command', spaces: 'manage', audit: 'read' },
} as const satisfies Record<string, Permissions>

export type SpaceRole = keyof typeof ofRole

export const spaceRoles = Object.keys(ofRole) as SpaceRole[]

/** Whether the step that is needed is among those that are held. */
export function permits(held: Permissions, needed: Needed): boolean {
  if (needed === 'none') return true
  const { area, level } = partsOf(needed)
  const steps: readonly string[] = levels[area]
  return steps.indexOf(level) <= steps.indexOf(held[area])
}

/** People and integrations are not in a space: what is held of them counts wherever the rest does. */
const placed: readonly Area[] = ['devices', 'spaces', 'audit']

/**
 * The one judgement: whether a caller may do something to a target. `above` are the ids of the target's space and of those
 * above it: none where it is in no space; left out where the operation has no single target, which needs some place only.
 */
export function judge(reach: Reach, needed: Needed, above?: readonly string[]): boolean {
  const within = whereTo(reach, needed)
  return within === null || (above ? within.some((space) => above.includes(space)) : within.length > 0)
}

/** The spaces in which a caller has the permission, with everything below them; null: everywhere. */
export function whereTo(reach: Reach, needed: Needed): readonly string[] | null {
  if (needed === 'none') return null
  const holding = reach.filter(({ permissions }) => permits(permissions, needed))
  const { area } = partsOf(needed)
  const everywhere = placed.includes(area) ? holding.some(({ within }) => within === null) : holding.length > 0
  return everywhere ? null : [...new Set(holding.flatMap(({ within }) => within ?? []))]
}

function partsOf(permission: Permission): { area: Area; level: string } {
  const [area, level] = permission.split(': ') as [Area, string]
  return { area, level }
}

/** What was approved for an application or chosen for an API key, as it is stored; null: all of it. */
export function reachOfCredential(
  permissions: CredentialPermissions | Record<string, string> | null,
  within: readonly string[] | null,
): Reach {
  return [{ permissions: permissions ? { ...nothing, ...permissions } : ofCredential, within }]
}

export interface HeldRole {
  role: SpaceRole
  /** Null: everywhere. */
  space_id: string | null
}

export function reachOfPerson(role: 'administrator' | 'member', held: readonly HeldRole[]): Reach {
  if (role === 'administrator') return [{ permissions: everything, within: null }]
  return held.map(({ role, space_id }) => ({
    permissions: ofRole[role],
    within: space_id === null ? null : [space_id],
  }))
}

/** In the order of the vocabulary. */
export const allPermissions: readonly Permission[] = Object.entries(levels).flatMap(([area, steps]) =>
  steps.slice(1).map((level) => `${area}: ${level}` as Permission),
)

/** What each lets a caller do, for people. */
export const meanings: Record<Permission, string> = {
  'devices: read': 'See devices, their state, history and live values, and the models that can be claimed.',
  'devices: manage': 'Claim, rename, move, replace and remove devices, and keep saved views.',
  'devices: command': 'Send commands to devices, and set their settings.',
  'spaces: read': 'See the tree of spaces.',
  'spaces: manage': 'Create, rename, move and delete spaces.',
  'people: read': 'See users, groups and invitations.',
  'people: manage': 'Invite, change and remove users, and change groups.',
  'audit: read': 'See the audit log, and how much of each limit is used.',
  'integrations: manage':
    'Manage API keys, connected apps and requests for approval. For people signed in to the portal only.',
}
