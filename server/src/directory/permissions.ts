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

/** What each step adds to the ones before it in its area: the one table of which all texts about permissions are made. */
export const abilities: Record<Permission, string> = {
  'devices: read': 'see devices, their state, history and live values, and the models that can be claimed',
  'devices: manage': 'claim, rename, move, replace and remove devices, and keep saved views',
  'devices: command': 'send commands to devices, and set their settings',
  'spaces: read': 'see the tree of spaces',
  'spaces: manage': 'create, rename, move and delete spaces',
  'people: read': 'see users, groups and invitations',
  'people: manage': 'invite, change and remove users, and change groups',
  'audit: read': 'see the audit log, and how much of each limit is used',
  'integrations: manage': 'manage API keys, connected apps and requests for approval',
}

/** What each adds, as a sentence. */
export const meanings = Object.fromEntries(
  allPermissions.map((permission) => {
    const ofPeople = partsOf(permission).area === 'integrations'
    const sentence = `${asBeginning(abilities[permission])}.`
    return [permission, ofPeople ? `${sentence} For people signed in to the portal only.` : sentence]
  }),
) as Record<Permission, string>

/** All that it allows, with the steps before it: `see the tree of spaces; create, rename, move and delete spaces`. */
export function allowedBy(permission: Permission): string {
  const held = { ...nothing, [partsOf(permission).area]: partsOf(permission).level }
  return allPermissions
    .filter((step) => permits(held, step))
    .map((step) => abilities[step])
    .join('; ')
}

export function asBeginning(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}
