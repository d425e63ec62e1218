import type { StateRow } from '../store/devices.ts'

/** The latest value of every data point, and when it was so. */
export type State = Record<string, { value: unknown; at: Date }>

/** The newest message has the newest value of each of its keys; the rest is what it does not mention. */
export function mergeState({ latest, latest_at, rest }: StateRow): State {
  const entries = new Map<string, { value: unknown; at: Date }>()
  for (const [key, [value, at]] of Object.entries(rest)) entries.set(key, { value, at: new Date(at) })
  for (const [key, value] of Object.entries(latest ?? {})) entries.set(key, { value, at: latest_at })
  // Defines each key as the object's own, whatever it is called.
  return Object.fromEntries(entries)
}
