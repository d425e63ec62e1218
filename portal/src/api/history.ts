import type { Calls } from './api.tsx'
import type { Series } from './organization.ts'

interface Wanted {
  deviceId: string
  keys: string[]
  /** Seconds since 1970. */
  from: number
  to: number
}

/** What one call of the service draws. */
export const maxLines = 20

export type Line = [number, number][]

/** Drawn small enough by the service: as many points as a chart has room for, whatever the range. */
export async function readSeries(
  api: Calls,
  { deviceId, keys, from, to }: Wanted,
  signal: AbortSignal,
): Promise<Record<string, Line>> {
  // Commas part the names of a single parameter; repeated, it may hold any name.
  const [only, ...others] = keys
  const repeated = others.length > 0 ? keys : [only!, only!]
  const query = { from: iso(from), to: iso(to), keys: repeated, buckets: 400 }
  const { series } = await api.get<Series>(`/devices/${deviceId}/series`, query, signal)
  return Object.fromEntries(
    Object.entries(series).map(([key, points]) => [key, points.map(({ at, avg }) => [Date.parse(at) / 1000, avg])]),
  )
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
