import type { Calls, Page } from './api.tsx'
import type { Message, Value } from './organization.ts'

export interface HistoryPoint {
  /** Seconds since 1970. */
  at: number
  values: Record<string, number>
}

interface Wanted {
  deviceId: string
  keys: string[]
  from: number
  to: number
}

export async function readSeries(
  api: Calls,
  { deviceId, keys, from, to }: Wanted,
  signal: AbortSignal,
): Promise<HistoryPoint[]> {
  const query = {
    from: new Date(from * 1000).toISOString(),
    to: new Date(to * 1000).toISOString(),
    limit: 100,
    keys: keys.join(','),
  }
  const { items } = await api.get<Page<Message>>(`/devices/${deviceId}/history`, query, signal)
  return items
    .map(({ timestamp, telemetries }) => ({ at: Date.parse(timestamp) / 1000, values: numbersOf(telemetries) }))
    .sort((a, b) => a.at - b.at)
}

/** True and false are drawn as 1 and 0. */
function numbersOf(telemetries: Record<string, Value>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(telemetries)
      .filter(([, value]) => typeof value !== 'string')
      .map(([key, value]) => [key, Number(value)]),
  )
}
