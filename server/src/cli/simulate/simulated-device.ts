import type { Value } from '../../../../client/src/command-types.ts'
import { type BelievableDevice, deviceAt } from './believable-devices.ts'
import { chance } from './chance.ts'
import type { KindName } from './kinds.ts'
import type { KeptDevice } from './registered.ts'
import type { SimulatedMessage } from './simulated-message.ts'

export interface FleetOrder {
  seed: string
  kinds: readonly KindName[]
}

const minute = 60_000

/** One position of the fleet, and the device that is there now. */
export class SimulatedDevice {
  readonly position: number
  readonly #order: FleetOrder
  /** Null until it is registered. */
  kept: KeptDevice | null = null
  believable: BelievableDevice
  isAway = false
  /** A command made it restart. */
  isRebooting = false
  /** What it was set to, instead of what its room would make of it. */
  readonly settings: Record<string, Value> = {}
  /** Null until it has applied any. */
  settingsVersion: number | null = null
  /** When it sends next; never, while a message is under way. */
  dueAt = Number.POSITIVE_INFINITY
  /** The service has not heard of the new firmware yet. */
  #isUpdated = false
  #lastMinute = 0

  constructor(order: FleetOrder, position: number, kept: KeptDevice | undefined) {
    this.#order = order
    this.position = position
    this.kept = kept ?? null
    this.believable = deviceAt(order.seed, position, { ...order, generation: kept?.generation ?? 0 })
  }

  get firmware(): string {
    const { firmware } = this.believable.kind
    const index = this.kept?.firmware ?? 0
    const known = firmware[Math.min(index, firmware.length - 1)]!
    const further = Math.max(index - firmware.length + 1, 0)
    const [major, minor, patch] = known.split('.').map(Number)
    return `${major}.${minor}.${patch! + further}`
  }

  /** The service removed it: another one replaces it. */
  replace(): BelievableDevice {
    return deviceAt(this.#order.seed, this.position, { ...this.#order, generation: this.kept!.generation + 1 })
  }

  update(): void {
    this.kept!.firmware += 1
    this.#isUpdated = true
  }

  /** How many minutes began since this was called last: each can bring an event. */
  minutesSince(now: number): number {
    const current = Math.floor(now / minute)
    const passed = this.#lastMinute === 0 ? 1 : current - this.#lastMinute
    this.#lastMinute = current
    return passed
  }

  /** Whether something happens that happens to this share of all devices within an hour. */
  happens(event: number, share: number, minutes: number): boolean {
    return chance(this.position, this.#lastMinute, event) < (share * minutes) / 60
  }

  message(at: Date): SimulatedMessage {
    const reading = this.believable.readingAt(at)
    const status = this.isRebooting ? 'offline' : reading.status
    const known = Object.entries(this.settings).filter(([key]) => key in reading.telemetries)
    const telemetries = { ...reading.telemetries, ...Object.fromEntries(known) }
    const firmware = this.#isUpdated ? { firmware_version: this.firmware } : {}
    return { device: this.kept!, telemetry: { status, telemetries, timestamp: at.toISOString(), ...firmware } }
  }

  stored(): void {
    this.#isUpdated = false
  }
}
