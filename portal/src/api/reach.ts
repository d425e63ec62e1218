// What the person may do in this organization, to offer nothing that the service would refuse. The service decides.
import type { ResponseOf } from './operations.ts'

export type Reach = ResponseOf<'GET /core/v1/organization/permissions'>['reach']
type Permissions = Reach[number]['permissions']

const steps = {
  devices: ['none', 'read', 'manage', 'command'],
  spaces: ['none', 'read', 'manage'],
  people: ['none', 'read', 'manage'],
  audit: ['none', 'read'],
  integrations: ['none', 'manage'],
} as const satisfies Record<keyof Permissions, readonly string[]>

type Area = keyof typeof steps
export type Needed = { [Of in Area]: `${Of}: ${Exclude<(typeof steps)[Of][number], 'none'>}` }[Area]

/** An administrator's. */
export const everything: Reach = [
  {
    permissions: { devices: 'command', spaces: 'manage', people: 'manage', audit: 'read', integrations: 'manage' },
    within: null,
  },
]

export interface NamedSpace {
  id: string
  name: string
}

/** The spaces in which it is permitted, with all below them; null: everywhere. */
export function whereTo(reach: Reach, needed: Needed): NamedSpace[] | null {
  const [area, level] = needed.split(': ') as [Area, string]
  const order: readonly string[] = steps[area]
  const holding = reach.filter(({ permissions }) => order.indexOf(permissions[area]) >= order.indexOf(level))
  // People and integrations are in no space.
  if (area === 'people' || area === 'integrations') return holding.length > 0 ? null : []
  if (holding.some(({ within }) => within === null)) return null
  const spaces = holding
    .flatMap(({ within }) => within ?? [])
    .filter((space): space is NamedSpace => space.name !== null)
  return [...new Map(spaces.map((space) => [space.id, space])).values()]
}

/** Whether it is permitted somewhere; with `above`, in the space of these that is lowest. */
export function may(reach: Reach, needed: Needed, above?: readonly string[]): boolean {
  const within = whereTo(reach, needed)
  return within === null || (above ? within.some(({ id }) => above.includes(id)) : within.length > 0)
}
