// The kinds of devices: what each measures, as a function of its room and the time alone. So a curve can be drawn into the
// past as well as sent live, and the same seed always gives the same values.
import { chance, drift, pick } from './chance.ts'
import { busyAt, hour, isOpenAt, outdoorsAt, peopleAt, presenceAt, type Room } from './room.ts'

export type Telemetries = Record<string, number | string | boolean>

export interface Reading {
  status: 'online' | 'error'
  telemetries: Telemetries
}

export interface Kind {
  /** The name of its model. */
  model: string
  /** What a person calls one of them. */
  label: string
  /** Its serial numbers begin with this. */
  serial: string
  firmware: readonly [string, ...string[]]
  faults: readonly string[]
  measure(seed: number, room: Room, at: number): Telemetries
}

const minute = 60_000
const round = (value: number, digits = 1) => Math.round(value * 10 ** digits) / 10 ** digits
const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))

const display: Kind = {
  model: 'Room Display D7',
  label: 'Display',
  serial: 'D7',
  firmware: ['3.8.1', '3.9.0', '3.9.2', '4.0.0', '4.0.1'],
  faults: ['no signal', 'panel too hot', 'network lost'],
  measure(seed, room, at) {
    const people = peopleAt(room, at)
    const on = people > 0 || (isOpenAt(at) && chance(seed, Math.floor(at / (20 * minute))) < 0.4)
    const source =
      people > 0 ? pick(['HDMI 1', 'HDMI 2', 'Wireless', 'Call'], chance(seed, Math.floor(at / hour))) : 'Signage'
    return {
      power: on ? 'on' : 'standby',
      source: on ? source : 'none',
      in_meeting: people > 0,
      people,
      brightness: on ? Math.round(55 + 30 * busyAt(at)) : 0,
      volume: source === 'Call' && on ? Math.round(45 + 10 * drift(seed, at, hour)) : 0,
      panel_temperature: round(on ? 41 + 3 * drift(seed, at, 2 * hour) : 26 + drift(seed, at, 2 * hour)),
      power_watts: round(on ? 96 + 14 * busyAt(at) + 2 * drift(seed, at, 5 * minute) : 0.5),
    }
  },
}

const thermostat: Kind = {
  model: 'Thermostat T2',
  label: 'Thermostat',
  serial: 'T2',
  firmware: ['1.4.2', '1.4.3', '1.5.0', '1.6.0', '1.6.1'],
  faults: ['sensor open', 'valve stuck'],
  measure(seed, room, at) {
    const isComfort = (instant: number) => isOpenAt(instant + 90 * minute) || isOpenAt(instant)
    const comfort = isComfort(at)
    const warm = 21 + Math.round(2 * drift(room.seed, at, 72 * hour)) / 2
    const setpoint = comfort ? warm : 17.5
    const presence = presenceAt(room, at)
    // A room takes two hours to get warm or cold. It follows the weather a little and warms up with its people; the valve
    // closes as it does.
    const past = Array.from({ length: 24 }, (_, step) => isComfort(at - step * 5 * minute))
    const reached = 17.5 + (warm - 17.5) * (past.filter(Boolean).length / past.length)
    const gap = 0.5 * drift(seed, at, 3 * hour) - 0.05 * (15 - outdoorsAt(at)) + 0.14 * presence
    const temperature = reached + clamp(gap, -1.8, 2.6) + 0.05 * drift(seed, at, 4 * minute)
    const valve = clamp(Math.round(35 - 45 * (temperature - setpoint)), 0, 100)
    return {
      temperature: round(temperature, 2),
      setpoint,
      humidity: round(clamp(43 + 0.6 * presence - 0.06 * valve + 5 * drift(room.seed, at, 9 * hour), 20, 75)),
      co2: Math.round(425 + 68 * presence + 18 * drift(seed, at, 10 * minute)),
      valve,
      heating: valve > 5,
      mode: comfort ? 'comfort' : 'eco',
      battery: round(97 - ((at / hour / 24) % 360) / 5 - chance(seed) * 8),
      signal: Math.round(-58 - 18 * chance(seed, 3) + 3 * drift(seed, at, 20 * minute)),
    }
  },
}

const meter: Kind = {
  model: 'Energy Meter E3',
  label: 'Energy meter',
  serial: 'E3',
  firmware: ['2.0.4', '2.1.0', '2.1.3', '2.2.0'],
  faults: ['phase L2 missing', 'current transformer'],
  measure(seed, _room, at) {
    const base = 0.4 + 0.8 * chance(seed, 1)
    const swing = 3 + 5 * chance(seed, 2)
    // One curve for power and its own integral for the counter, so that they agree.
    const hours = (at - Date.UTC(2026, 0, 1)) / hour
    const angle = (2 * Math.PI * (hours - 2)) / 24
    const energy = base * hours + swing * (hours / 2 - (12 / (2 * Math.PI)) * Math.sin(angle))
    const power = Math.max(0.1, base + (swing * (1 - Math.cos(angle))) / 2 + 0.15 * drift(seed, at, 3 * minute))
    const voltage = 230 + 3 * drift(seed, at, hour) - 0.25 * power
    const factor = 0.93 + 0.04 * drift(seed, at, 2 * hour)
    return {
      power: round(power, 3),
      energy: round(energy, 1),
      voltage: round(voltage),
      current: round((power * 1000) / (voltage * factor), 2),
      frequency: round(50 + 0.03 * drift(5, at, 2 * minute), 3),
      power_factor: round(factor, 2),
      tariff: Math.floor((at / hour) % 24) < 6 ? 'night' : 'day',
    }
  },
}

const amplifier: Kind = {
  model: 'Amplifier A4',
  label: 'Amplifier',
  serial: 'A4',
  firmware: ['5.2.0', '5.2.1', '5.3.0', '5.4.0'],
  faults: ['channel 2 shorted', 'protection', 'fan stopped'],
  measure(seed, room, at) {
    const people = peopleAt(room, at)
    const playing = people > 0 && chance(seed, Math.floor(at / (15 * minute))) < 0.8
    const level = playing ? -24 + 0.6 * people + 5 * drift(seed, at, 2 * minute) : -80
    const temperature = 29 + (playing ? 14 : 0) + 0.8 * presenceAt(room, at) + 1.5 * drift(seed, at, 30 * minute)
    return {
      state: playing ? 'playing' : isOpenAt(at) ? 'idle' : 'standby',
      level: round(Math.min(level, -1)),
      clipping: level > -4,
      muted: !playing && people > 0,
      temperature: round(temperature),
      fan: Math.round(clamp((temperature - 30) * 110, 0, 3_200) / 10) * 10,
      load_impedance: round(7.8 + 0.3 * drift(seed, at, 6 * hour), 2),
      power_watts: round(playing ? 60 + 3 * people + 8 * drift(seed, at, minute) : isOpenAt(at) ? 18 : 1.2),
    }
  },
}

export const kinds = { display, thermostat, amplifier, meter }
export type KindName = keyof typeof kinds

const faultLasts = 25 * minute

/** What the device reports at this instant. One in 250 has a fault, which the next 25 minutes decide anew. */
export function readingOf(kind: Kind, seed: number, room: Room, at: Date): Reading {
  const telemetries = kind.measure(seed, room, at.getTime())
  const slot = Math.floor(at.getTime() / faultLasts + chance(seed, 11))
  if (chance(seed, slot, 12) >= 0.004) return { status: 'online', telemetries: { ...telemetries, fault: 'none' } }
  return { status: 'error', telemetries: { ...telemetries, fault: pick(kind.faults, chance(seed, slot, 13)) } }
}
