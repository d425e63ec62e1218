import type { StateRow } from '../telemetry-store/telemetry-store.ts'

/** The latest value of every data point, with its instant. */
export type State = Record<string, { value: unknown; at: Date }>

/** The newest message has the newest value of each of its keys; `rest` has the other keys. */
export function mergeState({ latest, latest_at, rest }: StateRow): State {
  const entries = new Map<string, { value: unknown; at: Date }>()
  for (const [key, [value, at]] of Object.entries(rest)) entries.set(key, { value, at: new Date(at) })
  for (const [key, value] of Object.entries(latest ?? {})) entries.set(key, { value, at: latest_at })
  // Defines own properties, even for a key like `__proto__`.
  return Object.fromEntries(entries)
}
