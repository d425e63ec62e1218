import { chance, drift } from './chance.ts'

/** What all devices of a room have in common, so that their values agree with each other. */
export interface Room {
  /** Decides everything that happens in it. */
  seed: number
  seats: number
}

const minute = 60_000
export const hour = 60 * minute
const meeting = 30 * minute

/** Hours since midnight, UTC. */
function hourOf(at: number): number {
  return (at / hour) % 24
}

function isWeekend(at: number): boolean {
  return [0, 6].includes(new Date(at).getUTCDay())
}

/** How busy a building is, from 0 at night to 1 before and after lunch; a tenth of it at weekends. */
export function busyAt(at: number): number {
  const near = (centre: number, width: number) => Math.exp(-(((hourOf(at) - centre) / width) ** 2))
  const curve = Math.min(1, near(10.2, 2) + 0.9 * near(14.8, 2.2))
  return isWeekend(at) ? curve / 10 : curve
}

export function isOpenAt(at: number): boolean {
  return busyAt(at) > 0.08
}

/** A meeting begins at a full or half hour, and more often when the building is busy. */
export function peopleAt({ seed, seats }: Room, at: number): number {
  const slot = Math.floor(at / meeting)
  if (chance(seed, slot, 1) > 0.85 * busyAt(slot * meeting + meeting / 2)) return 0
  return 1 + Math.floor(chance(seed, slot, 2) * seats)
}

/** The people of the last hour: warmth and breath stay for a while after they left. */
export function presenceAt(room: Room, at: number): number {
  const steps = [0, 10, 20, 30, 40, 50]
  return steps.reduce((sum, minutes) => sum + peopleAt(room, at - minutes * minute), 0) / steps.length
}

/** Colder at night and in winter, with weather that lasts for days. */
export function outdoorsAt(at: number): number {
  const season = Math.cos((2 * Math.PI * (at / hour / 24 - 200)) / 365)
  const day = Math.cos((2 * Math.PI * (hourOf(at) - 15)) / 24)
  return 10 + 9 * season + 4 * day + 4 * drift(7, at, 60 * hour)
}
