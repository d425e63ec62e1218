// What an API key or an application may do and where, as the service writes it, in the words of the portal.

const steps = {
  devices: ['none', 'read', 'manage', 'command'],
  spaces: ['none', 'read', 'manage'],
  people: ['none', 'read', 'manage'],
  audit: ['none', 'read'],
} as const

export type Area = keyof typeof steps
export type Levels = { [Of in Area]: (typeof steps)[Of][number] }

/** What an application asks for; an area that is absent is not asked for. Null: everything. */
export type Asked = { [Of in Area]?: { level: string; reason?: string | undefined } } | null

/** A space, or one that was deleted, which has no name. */
export interface Place {
  id: string
  name: string | null
}

/** What the form of `PermissionFields` has, and the service takes but for the names of the spaces. */
export interface PermissionValues {
  /** Null: everything. */
  permissions: Levels | null
  /** Null: everywhere. */
  within: Place[] | null
}

export const areas = Object.keys(steps) as Area[]

export const areaLabels: Record<Area, string> = {
  devices: 'Devices',
  spaces: 'Spaces',
  people: 'People',
  audit: 'Audit log',
}

const verbs: Record<string, string> = {
  none: 'No access',
  read: 'See',
  manage: 'See and manage',
  command: 'See, manage and command',
}

/** What a credential has that nobody narrowed: all but commands, which are given apart. */
const everything: Levels = { devices: 'manage', spaces: 'manage', people: 'manage', audit: 'read' }
const readOnly: Levels = { devices: 'read', spaces: 'read', people: 'read', audit: 'read' }

/** The levels to choose from, no higher than what is asked for. */
export function choicesOf(area: Area, asked: Asked = null): { value: string; label: string }[] {
  return steps[area].slice(0, highest(area, asked) + 1).map((level) => ({ value: level, label: verbs[level]! }))
}

function highest(area: Area, asked: Asked): number {
  if (asked === null) return steps[area].length - 1
  return Math.max(0, (steps[area] as readonly string[]).indexOf(asked[area]?.level ?? 'none'))
}

/** The levels that a preset stands for, no higher than what is asked for. */
export function levelsOf(preset: 'everything' | 'read', asked: Asked = null): Levels {
  const wanted = preset === 'read' ? readOnly : asked === null ? everything : null
  const levels = areas.map((area) => {
    const most = highest(area, asked)
    const step = wanted === null ? most : (steps[area] as readonly string[]).indexOf(wanted[area])
    return [area, steps[area][Math.min(step, most)]]
  })
  return Object.fromEntries(levels) as Levels
}

export type Preset = 'everything' | 'read' | 'custom'

export function presetOf(permissions: Levels | null, asked: Asked = null): Preset {
  if (permissions === null || same(permissions, levelsOf('everything', asked))) return 'everything'
  return same(permissions, levelsOf('read', asked)) ? 'read' : 'custom'
}

const same = (one: Levels, other: Levels) => areas.every((area) => one[area] === other[area])

/** In a list, where each includes the ones before it. */
const short: Record<string, string> = { read: 'see', manage: 'manage', command: 'command' }

/** `Everything`, `Read only`, or `Devices: manage · Spaces: see` */
export function permissionText(permissions: Levels | null): string {
  const preset = presetOf(permissions)
  if (permissions === null || preset === 'everything') return 'Everything'
  if (preset === 'read') return 'Read only'
  const given = areas.filter((area) => permissions[area] !== 'none')
  if (given.length === 0) return 'Nothing'
  return given.map((area) => `${areaLabels[area]}: ${short[permissions[area]]}`).join(' · ')
}

/** As the service takes them. A deleted space is left out: it covers nothing, and the service knows it no longer. */
export function permissionsToSend({ permissions, within }: PermissionValues) {
  const kept = within?.filter(({ name }) => name !== null).map(({ id }) => id)
  return { permissions, within: kept ?? null }
}

/** False while some spaces are wanted and none is chosen. */
export function isPermissionComplete({ within }: PermissionValues): boolean {
  return within === null || within.some(({ name }) => name !== null)
}

/** Of spaces that were deleted: `a deleted space covers nothing`. Null where there is none. */
export function deletedText(within: readonly Place[]): string | null {
  const gone = within.filter(({ name }) => name === null).length
  if (gone === 0) return null
  return gone === 1 ? 'a deleted space covers nothing' : `${gone} deleted spaces cover nothing`
}
