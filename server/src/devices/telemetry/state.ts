import type { StateRow } from '../telemetry-store/telemetry-store.ts'

/** The latest value of every data point that was not removed, with its instant. */
export type State = Record<string, { value: unknown; at: Date }>

/** The newest message has the newest value of each of its keys; `rest` has the other keys. */
export function mergeState({ latest, latest_at, rest }: StateRow): State {
  const entries = new Map<string, { value: unknown; at: Date }>()
  // The empty name says which message replaced the whole state (decision 7.98).
  const [, replacedAt = 0, replacedArrival = 0] = rest[''] ?? []
  const isKept = (at: number, arrival: number) => at > replacedAt || (at === replacedAt && arrival >= replacedArrival)
  for (const [key, [value, at, arrival]] of Object.entries(latest?.[''] === undefined ? rest : {})) {
    if (isKept(at, arrival)) entries.set(key, { value, at: new Date(at) })
  }
  for (const [key, value] of Object.entries(latest ?? {})) entries.set(key, { value, at: latest_at })
  for (const [key, { value }] of entries) if (value === null || key === '') entries.delete(key)
  // Defines own properties, even for a key like `__proto__`.
  return Object.fromEntries(entries)
}
