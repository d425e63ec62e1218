import type { Random } from '../histories/record/random.ts'
import type { Reply, Shot } from './wire.ts'

/** Each with the share that it has of a run. */
export const kinds = { api: 40, pages: 18, mqtt: 18, cookies: 10, multipart: 7, csv: 7 }

export type Kind = keyof typeof kinds
export type HttpKind = Exclude<Kind, 'mqtt'>

/** A request with what to think of its response. */
export interface Try {
  operation: string
  shot: Shot
  /** What is wrong with the response, beside a 5xx, which always is. */
  judge(reply: Reply): string | null
}

/** Makes the next request of a kind. */
export type Source = (random: Random) => Try

/** So many in all, shared out among the kinds, or so many of each. */
export function shareOut(wanted: Kind[], count: { requests: number } | { each: number }): Record<Kind, number> {
  const weight = wanted.reduce((sum, kind) => sum + kinds[kind], 0)
  const share = (kind: Kind) => ('each' in count ? count.each : Math.round((count.requests * kinds[kind]) / weight))
  const shares = (Object.keys(kinds) as Kind[]).map((kind) => [kind, wanted.includes(kind) ? share(kind) : 0])
  return Object.fromEntries(shares) as Record<Kind, number>
}
