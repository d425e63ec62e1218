// What the contract (1.5, 4.7, 4.8), docs/portals.md, the API document and decisions 7.3, 7.11, 7.18 and 7.32 say about
// registering, claiming, changing and removing devices.
import { type Match, type Verdict, verdict } from './verdict.ts'

export type Owner = 'ours' | 'theirs'
export type Place = 'none' | 'own' | 'foreign' | 'unknown'
export const places: Place[] = ['none', 'own', 'foreign', 'unknown']

export interface Device {
  id: string
  label: number
  /** The access keys it was given; only the last is valid. */
  keys: string[]
  /** Whether it has authenticated. */
  used: boolean
  owner: Owner | null
  name: string | null
  inSpace: boolean
  removed: boolean
}

export interface Claims {
  /** All that ever registered. */
  devices: Device[]
  /** Failed claims of this minute, by budget. */
  failed: Record<Budget, number>
}

type Budget = 'session' | 'keys' | 'stranger'
export const maxFailed = 120

/** Credentials of the organization, a viewer, one who left, the administrator of another, and the partner of the model. */
export const actors = ['session', 'api_key', 'bearer', 'viewer', 'removed', 'stranger', 'partner'] as const
export type Actor = (typeof actors)[number]
export const claimers = ['session', 'api_key', 'bearer', 'stranger'] as const
export type Claimer = (typeof claimers)[number]

const ownerOf = (who: Actor): Owner => (who === 'stranger' ? 'theirs' : 'ours')
/** The keys and tokens of an organization share one budget. */
export const budgetOf = (who: Claimer): Budget => (who === 'session' || who === 'stranger' ? who : 'keys')

export const liveWith = ({ devices }: Claims, label: number): Device | undefined =>
  devices.find((device) => device.label === label && !device.removed)

/** Whether it is one that this actor may see, or change. */
export function owns(who: Actor, device: Device): boolean {
  return !device.removed && (who === 'partner' || device.owner === ownerOf(who))
}

/** Again until it has authenticated: the first response may have been lost. */
export function registering(state: Claims, label: number): Verdict {
  return verdict(201, { '409 already_registered': liveWith(state, label)?.used ?? false })
}

/** A device has the key that it was given last; one that is removed is told so. */
export function sending(device: Device, key: string): Verdict {
  const isCurrent = device.keys.at(-1) === key
  return verdict(200, { '401 invalid_access_key': !isCurrent, '410 device_removed': isCurrent && device.removed })
}

/** The same failure whatever the reason. */
export function claiming(state: Claims, who: Actor, label: number | null, place: Place): Verdict {
  if (who === 'viewer' || who === 'removed') return verdict(201, { '403 administrators_only': true })
  const device = label === null ? undefined : liveWith(state, label)
  const isFree = device !== undefined && device.owner === null
  const exhausted = state.failed[budgetOf(who as Claimer)] >= maxFailed
  return verdict(201, {
    '429 too_many_attempts': exhausted,
    '422 claim_failed': !exhausted && (!isFree || place === 'foreign' || place === 'unknown'),
  })
}

export interface Line {
  /** Null: a label that no device has. */
  label: number | null
  place: Place
  name: string | null
}

export type Outcome = 'claimed' | 'already_yours' | 'claim_failed' | 'unknown_space' | 'not_tried'

/** Claims what can be claimed; behind the last failure that the budget allows, no line is tried. */
export function claimList(state: Claims, who: Claimer, lines: Line[]): Outcome[] {
  const budget = budgetOf(who)
  const attempts = maxFailed - state.failed[budget]
  let failures = 0
  const failed = new Set<number | null>()
  return lines.map(({ label, place, name }) => {
    if (attempts <= 0) return 'not_tried'
    if (place === 'foreign' || place === 'unknown') return 'unknown_space'
    if (failures === attempts) return 'not_tried'
    const device = label === null ? undefined : liveWith(state, label)
    if (device?.owner === ownerOf(who)) return 'already_yours'
    if (device?.owner !== null || device === undefined) {
      // A line that is repeated costs nothing.
      const cost = label !== null && failed.has(label) ? 0 : 1
      failed.add(label)
      failures += cost
      state.failed[budget] += cost
      return 'claim_failed'
    }
    applyClaim(device, who, { name, place })
    return 'claimed'
  })
}

export function applyClaim(device: Device, who: Actor, { name, place }: { name: string | null; place: Place }): void {
  Object.assign(device, { owner: ownerOf(who), name, inSpace: place === 'own' })
}

export function reading(who: Actor, device: Device): Verdict {
  if (who === 'removed') return verdict(200, { '403 administrators_only': true })
  return verdict(200, { '404 not_found': !owns(who, device) })
}

const cannotChange = (who: Actor) => who === 'viewer' || who === 'removed'

export function changing({
  who,
  device,
  place,
  match,
}: {
  who: Exclude<Actor, 'partner'>
  device: Device
  place: Place | undefined
  match: Match
}): Verdict {
  if (cannotChange(who)) return verdict(200, { '403 administrators_only': true })
  if (!owns(who, device)) return verdict(200, { '404 not_found': true })
  return verdict(200, {
    '412 changed_meanwhile': match === 'stale',
    '404 not_found': place === 'foreign' || place === 'unknown',
  })
}

export function removing(who: Actor, device: Device): Verdict {
  if (cannotChange(who)) return verdict(204, { '403 administrators_only': true })
  return verdict(204, { '404 not_found': !owns(who, device) })
}

/** Of a list to remove: what was removed before stays the customer's. */
export function removeList(who: Claimer, devices: Device[]): string[] {
  const owned = devices.map((device) => device.owner === ownerOf(who))
  const removedBefore = devices.map(({ removed }) => removed)
  return devices.map((device, index) => {
    if (!owned[index]) return 'not_found'
    device.removed = true
    return removedBefore[index] ? 'already_removed' : 'removed'
  })
}
