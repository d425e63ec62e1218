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

type Area = keyof typeof levels

export type Permissions = { readonly [Of in Area]: (typeof levels)[Of][number] }

type StepsOf<Of extends Area> = `${Of}: ${Exclude<(typeof levels)[Of][number], 'none'>}`

/** One step of one area, as it is written in the API document: `devices: read`. */
export type Permission = { [Of in Area]: StepsOf<Of> }[Area]

/** What an operation asks of its caller: a permission, or nothing but to belong to the organization. */
export type Needed = Permission | 'none'

/** An administrator's. */
export const everything: Permissions = {
  devices: 'command',
  spaces: 'manage',
  people: 'manage',
  audit: 'read',
  integrations: 'manage',
}

/** Of a token or an API key: the contract's full reach, but for what only people may do and for commands, which are given apart. */
export const ofCredential: Permissions = { ...everything, devices: 'manage', integrations: 'none' }

/** Of a member who may look at devices and spaces (decision 8.14). */
export const lookingOnly: Permissions = {
  devices: 'read',
  spaces: 'read',
  people: 'none',
  audit: 'none',
  integrations: 'none',
}

/** Whether the step that is needed is among those that are held. */
export function permits(held: Permissions, needed: Needed): boolean {
  if (needed === 'none') return true
  const [area, level] = needed.split(': ') as [Area, string]
  const steps: readonly string[] = levels[area]
  return steps.indexOf(level) <= steps.indexOf(held[area])
}

/** In the order of the vocabulary. */
export const allPermissions: readonly Permission[] = Object.entries(levels).flatMap(([area, steps]) =>
  steps.slice(1).map((level) => `${area}: ${level}` as Permission),
)

/** What each lets a caller do, for people. */
export const meanings: Record<Permission, string> = {
  'devices: read': 'See devices, their state, history and live values, and the models that can be claimed.',
  'devices: manage': 'Claim, rename, move, replace and remove devices, and keep saved views.',
  'devices: command': 'Send commands to devices. No operation needs it yet.',
  'spaces: read': 'See the tree of spaces.',
  'spaces: manage': 'Create, rename, move and delete spaces.',
  'people: read': 'See users, groups and invitations.',
  'people: manage': 'Invite, change and remove users, and change groups.',
  'audit: read': 'See the audit log, and how much of each limit is used.',
  'integrations: manage':
    'Manage API keys, connected apps and requests for approval. For people signed in to the portal only.',
}
