// Contract 4.8 and integrate.md section 2: an acknowledged message is stored, a repeat once; pages are complete and in order;
// the state is what the messages make of it, and no reader sees it go back.
import {
  callsOf,
  type History,
  type Message,
  type StoredMessage,
  type TelemetryCall,
  type Violation,
} from './history.ts'

type CallOf<Kind> = Extract<TelemetryCall, { kind: Kind }>

export function telemetryViolations(history: History): Violation[] {
  const keys = new Set(callsOf(history, 'send').map(({ key }) => key))
  return [...keys].flatMap((key) => {
    const calls = history.calls.filter((call) => call.key === key)
    return firstOfEachRule(callsOf({ calls }, 'send'), callsOf({ calls }, 'pages'), callsOf({ calls }, 'state'))
  })
}

/** One fault shows in every read that follows it. */
function firstOfEachRule(...calls: Parameters<typeof violationsOfDevice>): Violation[] {
  const byRule = Map.groupBy(violationsOfDevice(...calls), ({ rule }) => rule)
  return [...byRule.values()].map(([first]) => first!)
}

function violationsOfDevice(sends: CallOf<'send'>[], walks: CallOf<'pages'>[], reads: CallOf<'state'>[]): Violation[] {
  const seen = walks.filter(({ ok }) => ok !== null)
  const states = reads.filter(({ ok }) => ok !== null)
  return [
    ...seen.flatMap((walk) => [...unknownMessages(walk, sends), ...lostMessages(walk, sends), ...doubled(walk, sends)]),
    ...seen.flatMap((walk) => outOfOrder(walk, sends)),
    ...unstable(seen),
    ...states.flatMap((read) => [...neverSent(read, sends), ...staleState(read, sends)]),
    ...backwards(states, sends),
    ...comesBack(states, sends),
    ...notTheFold(seen, states),
  ]
}

const itemsOf = (walk: CallOf<'pages'>): StoredMessage[] =>
  walk.input.order === 'newest_first' ? walk.ok!.pages.flat().toReversed() : walk.ok!.pages.flat()

const markOf = ({ telemetries }: { telemetries: Record<string, unknown> }) => String(telemetries.mark)

function byMark(sends: CallOf<'send'>[]): Map<string, CallOf<'send'>[]> {
  return Map.groupBy(sends, ({ input }) => input.message.mark)
}

/** With a timestamp a repeat is recognised, also without an id. */
const isRepeatable = ({ timestamp }: Message) => timestamp !== undefined
const hasTimestamp = ({ input }: CallOf<'send'>) => isRepeatable(input.message)

/** What is stored was sent, as it was sent, and nobody was told that it is not stored. */
function unknownMessages(walk: CallOf<'pages'>, sends: CallOf<'send'>[]): Violation[] {
  const known = byMark(sends)
  return itemsOf(walk).flatMap((item): Violation[] => {
    const attempts = known.get(markOf(item)) ?? []
    const begun = attempts.filter(({ invoked }) => invoked <= walk.returned!)
    const calls = [...attempts, walk]
    if (begun.length === 0) return [{ rule: 'stored ⊆ sent', sentence: `${markOf(item)} was never sent`, calls }]
    if (attempts.every(({ refused }) => refused !== null)) {
      return [{ rule: 'refused is not stored', sentence: `${markOf(item)} was refused, and is stored`, calls }]
    }
    const { message } = attempts[0]!.input
    return isSame(message, item) ? [] : [{ rule: 'stored as sent', sentence: `${markOf(item)} has changed`, calls }]
  })
}

function isSame(sent: Message, stored: StoredMessage): boolean {
  const names = new Set([...Object.keys(sent.telemetries), ...Object.keys(stored.telemetries)])
  return (
    sent.status === stored.status &&
    (sent.message_id ?? null) === stored.message_id &&
    (sent.override ?? false) === (stored.override ?? false) &&
    (sent.timestamp === undefined || Date.parse(sent.timestamp) === Date.parse(stored.timestamp)) &&
    [...names].every((name) => sent.telemetries[name] === stored.telemetries[name])
  )
}

/** Acknowledged before the first page was asked for: it is on one of them. */
function lostMessages(walk: CallOf<'pages'>, sends: CallOf<'send'>[]): Violation[] {
  const found = new Set(itemsOf(walk).map(markOf))
  const lost = sends.filter(
    ({ ok, returned, input }) => ok !== null && returned! < walk.invoked && !found.has(input.message.mark),
  )
  return lost.map((send) => ({
    rule: 'acknowledged ⊆ stored, and pages are complete',
    sentence: `${send.input.message.mark} was acknowledged, and is on none of ${walk.ok!.pages.length} pages`,
    calls: [send, walk],
  }))
}

function doubled(walk: CallOf<'pages'>, sends: CallOf<'send'>[]): Violation[] {
  const known = byMark(sends)
  const stored = Map.groupBy(itemsOf(walk), markOf)
  return [...stored].flatMap(([mark, items]): Violation[] => {
    const attempts = known.get(mark) ?? []
    const possible = attempts.filter(({ refused }) => refused === null).length
    const most = attempts[0] && isRepeatable(attempts[0].input.message) ? 1 : possible
    const acknowledged = attempts.filter(({ ok, returned }) => ok !== null && returned! < walk.invoked).length
    const least = most === 1 ? 0 : acknowledged
    if (items.length <= most && items.length >= least) return []
    const sentence = `${mark} is stored ${items.length} times, and may be ${least} to ${most} times`
    return [{ rule: 'once per message, and every time it was one of its own', sentence, calls: [...attempts, walk] }]
  })
}

/**
 * By timestamp and, where two are equal, by arrival: of messages that were under way at the same time an outsider cannot
 * know which arrived first.
 */
function outOfOrder(walk: CallOf<'pages'>, sends: CallOf<'send'>[]): Violation[] {
  const known = byMark(sends)
  const items = itemsOf(walk)
  return items.slice(1).flatMap((item, index): Violation[] => {
    const before = items[index]!
    const apart = Date.parse(item.timestamp) - Date.parse(before.timestamp)
    // One without a timestamp may be stored several times: which of them this is, nobody knows.
    const [later, earlier] = [before, item].map((each) => (known.get(markOf(each)) ?? []).filter(hasTimestamp)) as [
      CallOf<'send'>[],
      CallOf<'send'>[],
    ]
    const begun = Math.min(...later.map(({ invoked }) => invoked))
    const returned = Math.min(...earlier.map(({ ok, returned }) => (ok ? returned! : Number.POSITIVE_INFINITY)))
    const isRight = later.length === 0 || earlier.length === 0 || returned >= begun
    if (apart > 0 || (apart === 0 && isRight)) return []
    const sentence = `${markOf(item)} is on the wrong side of ${markOf(before)}`
    return [{ rule: 'pages are in order', sentence, calls: [...later, ...earlier, walk] }]
  })
}

/** What one reader saw, a later one sees too. */
function unstable(walks: CallOf<'pages'>[]): Violation[] {
  return walks.flatMap((earlier) =>
    walks.flatMap((later): Violation[] => {
      if (earlier.returned! >= later.invoked) return []
      const found = new Set(itemsOf(later).map(markOf))
      const gone = itemsOf(earlier).filter((item) => !found.has(markOf(item)))
      if (gone.length === 0) return []
      const sentence = `${markOf(gone[0]!)} was there, and is on none of the pages that were read later`
      return [{ rule: 'what is stored stays, and pages are complete', sentence, calls: [earlier, later] }]
    }),
  )
}

const entriesOf = (read: CallOf<'state'>) => Object.entries(read.ok!.state)

function neverSent(read: CallOf<'state'>, sends: CallOf<'send'>[]): Violation[] {
  return entriesOf(read).flatMap(([name, { value }]): Violation[] => {
    const possible = sends.some(
      ({ input, invoked, refused }) =>
        refused === null && invoked <= read.returned! && value !== null && input.message.telemetries[name] === value,
    )
    if (possible) return []
    return [{ rule: 'state ⊆ sent', sentence: `${name} is ${String(value)}, which nobody had sent`, calls: [read] }]
  })
}

/**
 * A message with the time of its measurement that was acknowledged before the read began: the state is at least as new. One
 * without has that of its arrival, which the sender knows only to lie between its call and the reply.
 */
function staleState(read: CallOf<'state'>, sends: CallOf<'send'>[]): Violation[] {
  return sends.flatMap((send): Violation[] => {
    if (send.ok === null || send.returned! >= read.invoked) return []
    const { timestamp, telemetries, override } = send.input.message
    const names = override ? [...Object.keys(telemetries), ...Object.keys(read.ok!.state)] : Object.keys(telemetries)
    return [...new Set(names)].flatMap((name): Violation[] => {
      const entry = read.ok!.state[name]
      const calls = [send, read]
      const rule = 'a read sees what was acknowledged'
      if (!entry) {
        if ((telemetries[name] ?? null) === null || mayBeRemoved(sends, name, earliest(send), read.returned!)) return []
        return [{ rule, sentence: `${name} is missing`, calls }]
      }
      const isOld = timestamp !== undefined && isPast(send, timestamp) && Date.parse(entry.at) < Date.parse(timestamp)
      return isOld
        ? [{ rule, sentence: `${name} is of ${entry.at}, and that of ${timestamp} was acknowledged`, calls }]
        : []
    })
  })
}

/** Before this its message does not count: the earlier of timestamp and arrival. */
function earliest({ input }: CallOf<'send'>): number {
  return Math.min(
    Date.parse(input.message.timestamp ?? '') || Number.POSITIVE_INFINITY,
    input.sent_at - slackMilliseconds,
  )
}

const removes = ({ telemetries, override }: Message, name: string) =>
  telemetries[name] === null || (override === true && telemetries[name] === undefined)

/** Whether a message that had begun by then may have removed a value of that time. */
export function mayBeRemoved(sends: CallOf<'send'>[], name: string, at: number, until: number): boolean {
  return sends.some(({ input, refused, invoked }) => {
    const { timestamp } = input.message
    const latest = timestamp === undefined ? Number.POSITIVE_INFINITY : Date.parse(timestamp)
    return refused === null && invoked <= until && latest >= at && removes(input.message, name)
  })
}

/** A process follows the database's clock to within this much (decision 3.7). */
const slackMilliseconds = 5_000

/** Only of a message from the past is it certain that its own time counts: the earlier of timestamp and arrival does. */
function isPast({ input }: CallOf<'send'>, timestamp: string): boolean {
  return Date.parse(timestamp) < input.sent_at - slackMilliseconds
}

function backwards(reads: CallOf<'state'>[], sends: CallOf<'send'>[]): Violation[] {
  return reads.flatMap((earlier) =>
    reads.flatMap((later) => {
      if (earlier.returned! >= later.invoked) return []
      return entriesOf(earlier).flatMap(([name, { at }]): Violation[] => {
        const next = later.ok!.state[name]
        if (next && Date.parse(next.at) >= Date.parse(at)) return []
        if (!next && mayBeRemoved(sends, name, Date.parse(at), later.returned!)) return []
        const sentence = `${name} was of ${at}, and later of ${next?.at ?? 'no time at all'}`
        return [{ rule: 'the state never goes back', sentence, calls: [earlier, later] }]
      })
    }),
  )
}

/** What was there, and then was not, comes back only with a message of its own, which is not older. */
function comesBack(reads: CallOf<'state'>[], sends: CallOf<'send'>[]): Violation[] {
  const inTurn = (earlier: CallOf<'state'>, later: CallOf<'state'>) => earlier.returned! < later.invoked
  return reads.flatMap((first) =>
    entriesOf(first).flatMap(([name, { value, at }]) => {
      const without = reads.filter((read) => inTurn(first, read) && !read.ok!.state[name])
      return reads.flatMap((last): Violation[] => {
        const again = last.ok!.state[name]
        const gone = without.find((read) => inTurn(read, last))
        if (!again || !gone || Date.parse(again.at) > Date.parse(at)) return []
        if (Date.parse(again.at) === Date.parse(at) && (again.value !== value || isOfSeveral(sends, name, value)))
          return []
        const sentence = `${name} of ${at} was removed, and is there again with ${again.at}`
        return [{ rule: 'what was removed stays removed', sentence, calls: [first, gone, last] }]
      })
    }),
  )
}

function isOfSeveral(sends: CallOf<'send'>[], name: string, value: unknown): boolean {
  const possible = sends.filter(({ input, refused }) => refused === null && input.message.telemetries[name] === value)
  return new Set(possible.map(({ input }) => input.message.mark)).size > 1
}

/**
 * Between two walks that saw the same messages nothing was stored: the state is the newest value of each data point, by
 * the earlier of timestamp and arrival; null, and a message that replaces all, remove it.
 */
function notTheFold(walks: CallOf<'pages'>[], reads: CallOf<'state'>[]): Violation[] {
  return reads.flatMap((read) => {
    const before = walks.filter(({ returned }) => returned! < read.invoked).at(-1)
    const after = walks.find(({ invoked }) => invoked > read.returned!)
    if (!before || !after || JSON.stringify(itemsOf(before)) !== JSON.stringify(itemsOf(after))) return []
    const newest = fold(itemsOf(before))
    const names = new Set([...newest.keys(), ...Object.keys(read.ok!.state)])
    return [...names].flatMap((name): Violation[] => {
      const { value, at } = read.ok!.state[name] ?? {}
      const expected = newest.get(name)
      if (at === undefined && (!expected || expected.values.includes(null))) return []
      if (at !== undefined && expected?.values.includes(value) && expected.at === Date.parse(at)) return []
      const told = expected ? `${expected.values.join(' or ')} of ${new Date(expected.at).toISOString()}` : 'nothing'
      const sentence = `${name} is ${String(value)} of ${at}, and the messages say ${told}`
      return [{ rule: 'state = fold of history', sentence, calls: [before, read, after] }]
    })
  })
}

/** Of values with the same time any may be the newest; null is a removal. */
function fold(items: StoredMessage[]): Map<string, { at: number; values: unknown[] }> {
  const newest = new Map<string, { at: number; values: unknown[] }>()
  const names = new Set(items.flatMap(({ telemetries }) => Object.keys(telemetries)))
  for (const { timestamp, received_at, telemetries, override } of items) {
    const at = Math.min(Date.parse(timestamp), Date.parse(received_at))
    const values = override
      ? [...names].map((name) => [name, telemetries[name] ?? null] as const)
      : Object.entries(telemetries)
    for (const [name, value] of values) {
      const known = newest.get(name)
      if (!known || known.at < at) newest.set(name, { at, values: [value] })
      else if (known.at === at) known.values.push(value)
    }
  }
  return newest
}
