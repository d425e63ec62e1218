/** What is shown: the last so many seconds, or from one instant to another. Seconds since 1970. */
export type TimeRange = { last: number } | TimeSpan

export interface TimeSpan {
  from: number
  to: number
}

export const lastRanges = [
  { value: '15m', label: '15 min', seconds: 900 },
  { value: '1h', label: '1 h', seconds: 3_600 },
  { value: '24h', label: '24 h', seconds: 86_400 },
  { value: '7d', label: '7 d', seconds: 604_800 },
  { value: '30d', label: '30 d', seconds: 2_592_000 },
]

/** Shorter than this, nothing can be told apart. */
const shortest = 1
/** The instants that the service understands. */
const [earliest, latest] = [Date.UTC(1970, 0, 2) / 1000, Date.UTC(9999, 0, 1) / 1000]

/** `?range=24h`, or `?from=…&to=…`; anything else is the default. */
export function readTimeRange(search: URLSearchParams, initial: string): TimeRange {
  const [from, to] = ['from', 'to'].map((name) => Date.parse(search.get(name) ?? '') / 1000) as [number, number]
  if (from < to) return { from: Math.max(from, earliest), to: Math.min(to, latest) }
  const wanted = search.get('range') ?? initial
  return { last: (lastRanges.find(({ value }) => value === wanted) ?? lastRanges[1]!).seconds }
}

export function writeTimeRange(search: URLSearchParams, range: TimeRange, initial: string): void {
  for (const name of ['range', 'from', 'to']) search.delete(name)
  if ('from' in range) {
    const middle = (range.from + range.to) / 2
    const from = Math.min(range.from, middle - shortest / 2)
    const to = Math.max(range.to, middle + shortest / 2)
    search.set('from', new Date(Math.max(earliest, from) * 1000).toISOString())
    search.set('to', new Date(Math.min(latest, to) * 1000).toISOString())
  } else {
    const { value } = lastRanges.find(({ seconds }) => seconds === range.last)!
    if (value !== initial) search.set('range', value)
  }
}

/** From and to, at this moment. */
export function spanOf(range: TimeRange, now = Date.now() / 1000): TimeSpan {
  return 'last' in range ? { from: now - range.last, to: now } : range
}

export function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
