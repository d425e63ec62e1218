// Short histories of the commands of one device, written by hand.
import { commandViolations } from './command-rules.ts'
import type { AnyCall, History } from './history.ts'

const noon = Date.UTC(2026, 0, 1, 12)
export const day = (milliseconds: number) => new Date(noon + milliseconds).toISOString()

export type Part = [kind: string, input: object, outcome: object | string | null, invoked: number, returned?: number]

/** Milliseconds of the recorder are those since noon. */
function historyOf(parts: Part[]): History {
  const calls = parts.map(([kind, input, outcome, invoked, returned = invoked + 1], n) => ({
    ...{ n, actor: 'a', kind, key: 'd1', input: { at: noon + invoked, ...input }, invoked },
    returned: outcome === null ? null : returned,
    ok: typeof outcome === 'object' ? outcome : null,
    refused: typeof outcome === 'string' ? outcome : null,
  }))
  return { name: 'handmade', calls: calls as unknown as AnyCall[], deliveries: [], live: [], streams: [], faults: [] }
}

export const rulesOf = (parts: Part[]) => commandViolations(historyOf(parts)).map(({ rule }) => rule)

const lasts = 10_000
export const order = (id: string | null, invoked: number, returned = invoked + 1, timeout = 5): Part =>
  [
    'order',
    { name: 'blink', customer: 'x', by: 'one', timeout },
    id && { id, expires_at: day(returned + Math.max(lasts, 2 * timeout * 1_000)) },
    ...[invoked, returned],
  ] as unknown as Part
export const take = (id: string | null, invoked: number, way = 'http', expires = 1 + lasts): Part => {
  return ['take', { way }, { command: id && { id, attempt: 1, expires_at: day(expires) } }, invoked]
}
/** A subscription that was open for some seconds, and got nothing. */
export const quiet = (invoked: number): Part => ['take', { way: 'mqtt' }, { command: null }, invoked, invoked + 6_000]
/** By the poll over the fleet. */
export const poll = (id: string | null, invoked: number, attempt = 1, confirms?: string): Part => {
  const command = id && { id, attempt, expires_at: day(invoked + lasts) }
  return ['take', { way: 'fleet', ...(confirms ? { confirms } : {}) }, { command }, invoked]
}
export const report = (
  id: string,
  status: string,
  outcome: object | string | null,
  invoked: number,
  message = 'it',
): Part => {
  return ['report', { id, status, message, way: 'http' }, outcome, invoked]
}
export const check = (id: string, state: string, invoked: number, more: object = {}): Part => {
  const found = {
    state,
    attempts: 1,
    sent_at: day(2),
    delivered_at: day(3),
    expires_at: day(1 + lasts),
    message: 'it',
    ...more,
  }
  return ['check', { id, customer: 'x' }, found, invoked]
}
export const cancel = (id: string, outcome: object | string | null, invoked: number): Part => [
  'cancel',
  { id },
  outcome,
  invoked,
]
export const removal = (invoked: number): Part => ['remove', { id: 'd1', by: 'x' }, {}, invoked]
