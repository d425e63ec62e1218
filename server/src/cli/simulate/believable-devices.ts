import { chance, pick, seedOf } from './chance.ts'
import { type Kind, type KindName, kinds, type Reading, readingOf } from './kinds.ts'
import type { Room } from './room.ts'

/** A device that could exist: who it is, where it hangs, and what it measures when. */
export interface BelievableDevice {
  kind: Kind
  kindName: KindName
  mac: string
  sn: string
  name: string
  /** From the site down to the room. */
  spacePath: [site: string, floor: string, room: string]
  readingAt(at: Date): Reading
  /** Without power or network: it sends nothing. `share` is how many devices that happens to within an hour. */
  isAwayAt(at: Date, share: number): boolean
}

export const allKinds = Object.keys(kinds) as KindName[]

const roomsPerFloor = 12
const floorsPerSite = 6
const sites = [
  'Oslo',
  'Bergen',
  'Hamburg',
  'Utrecht',
  'Leeds',
  'Lyon',
  'Graz',
  'Turin',
  'Porto',
  'Gdansk',
  'Tartu',
  'Cork',
]
const rooms = [
  'Ada',
  'Curie',
  'Euler',
  'Franklin',
  'Gauss',
  'Hopper',
  'Lovelace',
  'Meitner',
  'Noether',
  'Planck',
  'Turing',
  'Volta',
]
const seats = [4, 6, 8, 12, 20]

const minute = 60_000
const awayWindow = 20 * minute

/**
 * The device at this position of a fleet. Those of one room follow each other, one of each kind. A device that was
 * removed is replaced by the next generation: another one in the same room.
 */
export function deviceAt(
  seedText: string,
  position: number,
  { kinds: wanted = allKinds, generation = 0 }: { kinds?: readonly KindName[]; generation?: number } = {},
): BelievableDevice {
  const fleet = seedOf(seedText)
  const kindName = wanted[position % wanted.length]!
  const kind = kinds[kindName]
  const roomNumber = Math.floor(position / wanted.length)
  const room: Room = {
    seed: Math.floor(chance(fleet, roomNumber, 1) * 2 ** 32),
    seats: pick(seats, chance(fleet, roomNumber, 2)),
  }
  const seed = Math.floor(chance(fleet, position, generation, 3) * 2 ** 32)
  const spacePath = spacePathOf(roomNumber)
  return {
    kind,
    kindName,
    mac: macOf(fleet, position, generation),
    sn: serialOf(kind, fleet, position, generation),
    name: `${kind.label} ${spacePath[2]}`,
    spacePath,
    readingAt: (at) => readingOf(kind, seed, room, at),
    isAwayAt: (at, share) => isAway(seed, at.getTime(), share),
  }
}

/** Locally administered, so that no real device has it. */
function macOf(fleet: number, position: number, generation: number): string {
  const bytes = [0, 1, 2, 3, 4].map((n) => Math.floor(chance(fleet, position, generation, 20 + n) * 256))
  return [2, ...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(':')
}

function serialOf({ serial }: Kind, fleet: number, position: number, generation: number): string {
  const batch = (fleet % 1_296).toString(36).padStart(2, '0').toUpperCase()
  const replaced = generation === 0 ? '' : `-R${generation}`
  return `${serial}-${batch}${String(position + 1).padStart(6, '0')}${replaced}`
}

function spacePathOf(roomNumber: number): BelievableDevice['spacePath'] {
  const floor = Math.floor(roomNumber / roomsPerFloor)
  const site = Math.floor(floor / floorsPerSite)
  const level = floor % floorsPerSite
  const round = Math.floor(site / sites.length)
  const number = `${level}${String((roomNumber % roomsPerFloor) + 1).padStart(2, '0')}`
  return [
    round === 0 ? sites[site]! : `${sites[site % sites.length]} ${round + 1}`,
    level === 0 ? 'Ground floor' : `Floor ${level}`,
    `${number} ${rooms[(roomNumber * 5) % rooms.length]}`,
  ]
}

/** In every window of 20 minutes it may be away once, for 2 to 15 minutes. */
function isAway(seed: number, at: number, share: number): boolean {
  const shifted = at / awayWindow + chance(seed, 31)
  const window = Math.floor(shifted)
  if (chance(seed, window, 32) >= (share * awayWindow) / (60 * minute)) return false
  const lasts = (2 + 13 * chance(seed, window, 33)) / 20
  const begins = (1 - lasts) * chance(seed, window, 34)
  const within = shifted - window
  return within >= begins && within < begins + lasts
}
