import type { Value } from '../api/organization.ts'
import type { DictionaryEntry } from '../api/partner.ts'

/** A device that sends the data points of its model's dictionary. */
export class SimulatedModel {
  failing = false
  /** Whether numbers change a little with each message. */
  varies = true
  readonly entries: readonly DictionaryEntry[]
  readonly #values: Map<string, Value>

  constructor(entries: readonly DictionaryEntry[]) {
    this.entries = entries
    this.#values = new Map(entries.map((entry) => [entry.key, usualValue(entry)]))
  }

  get(key: string): Value {
    return this.#values.get(key)!
  }

  set(key: string, value: Value): void {
    this.#values.set(key, value)
  }

  message(): object {
    const telemetries = this.entries.map((entry) => {
      const value = this.get(entry.key)
      return [entry.key, this.varies && typeof value === 'number' ? drifted(entry, value, Math.random()) : value]
    })
    return { status: this.failing ? 'error' : 'online', telemetries: Object.fromEntries(telemetries) }
  }
}

/** In the middle of the range, and no alarm. */
export function usualValue({ type, min, max, values = [] }: DictionaryEntry): Value {
  const named = values.find(({ alarm }) => !alarm)?.value
  if (named !== undefined) return named
  if (type === 'text') return 'text'
  if (type === 'boolean') return values.some(({ value, alarm }) => alarm && value === false)
  return min !== undefined && max !== undefined ? (min + max) / 2 : (min ?? max ?? 20)
}

/** A number near the value; one with meanings is a code, which does not drift. `random` is from 0 to 1. */
export function drifted({ min, max, decimals, values }: DictionaryEntry, value: number, random: number): number {
  if (values && values.length > 0) return value
  const span = min !== undefined && max !== undefined ? max - min : Math.max(Math.abs(value), 1)
  const near = value + (random - 0.5) * span * 0.1
  // A value that was set out of range stays there.
  const inRange = (min === undefined || value >= min) && (max === undefined || value <= max)
  const kept = inRange ? Math.min(Math.max(near, min ?? near), max ?? near) : near
  return Number(kept.toFixed(decimals ?? 2))
}
