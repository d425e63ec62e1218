// Faults, planted into a history that has none: the checker must find each. Null where the history has no place for it.
import { type AnyCall, callsOf, type History, type StoredMessage } from './history.ts'

type Plant = (history: History) => History | null

export interface PlantedFault {
  plant: Plant
  /** The rule that finds it. */
  rule: RegExp
}

const marked = ({ telemetries }: StoredMessage) => String(telemetries.mark)

/** Changes the pages of walks, and leaves the others as they are. */
function withPages(
  history: History,
  which: (call: AnyCall) => boolean,
  change: (pages: StoredMessage[][]) => StoredMessage[][],
): History {
  const calls = history.calls.map((call) =>
    call.kind === 'pages' && call.ok && which(call) ? { ...call, ok: { pages: change(call.ok.pages) } } : call,
  )
  return { ...history, calls }
}

const loseMessage: Plant = (history) => {
  const send = callsOf(history, 'send').find(({ ok }) => ok !== null)
  if (!send) return null
  const without = (pages: StoredMessage[][]) =>
    pages.map((items) => items.filter((item) => marked(item) !== send.input.message.mark))
  return withPages(history, () => true, without)
}

const doubleMessage: Plant = (history) => {
  const last = callsOf(history, 'pages').findLast(({ ok }) => ok?.pages.some((page) => page.length > 0))
  const repeatable = new Set(
    callsOf(history, 'send').flatMap(({ input }) => (input.message.message_id ? [input.message.mark] : [])),
  )
  const item = last?.ok?.pages.flat().find((each) => repeatable.has(marked(each)))
  if (!last || !item) return null
  return withPages(
    history,
    (call) => call === last,
    (pages) => pages.map((items) => items.flatMap((each) => (each === item ? [each, each] : [each]))),
  )
}

const honourLate: Plant = (history) => {
  const end = callsOf(history, 'withdraw', 'disable').find(({ ok }) => ok !== null)
  if (!end) return null
  const issued = callsOf(history, 'exchange', 'refresh').find(({ ok, returned }) => ok && returned! < end.invoked)
  if (!issued) return null
  const use: AnyCall = {
    ...{ n: history.calls.length, actor: 'planted', kind: 'use', key: end.key, input: { token: issued.ok!.access } },
    ...{ invoked: end.returned! + 1, returned: end.returned! + 2, ok: {}, refused: null },
  }
  return { ...history, calls: [...history.calls, use] }
}

const goBack: Plant = (history) => {
  const last = callsOf(history, 'state').findLast(({ ok }) => Object.keys(ok?.state ?? {}).length > 0)
  if (!last) return null
  const state = Object.fromEntries(
    Object.entries(last.ok!.state).map(([name, { value, at }]) => {
      return [name, { value, at: new Date(Date.parse(at) - 1).toISOString() }]
    }),
  )
  const later = { ...last, invoked: last.returned! + 1, returned: last.returned! + 2, ok: { ...last.ok!, state } }
  return { ...history, calls: [...history.calls, later] }
}

/** Into the last read, between the last two walks: a value that was removed after it, by null or by a message that replaces all. */
const bringBack =
  (byOverride: boolean): Plant =>
  (history) => {
    const reads = callsOf(history, 'state').filter(({ ok, actor }) => ok !== null && actor === 'last')
    const walks = callsOf(history, 'pages').filter(({ ok, actor }) => ok !== null && actor === 'last')
    const [last, before, after] = [reads.at(-1), walks.at(-2), walks.at(-1)]
    if (!last || !before || !after) return null
    const items = (walk: typeof before) => walk.ok!.pages.flat().map((item) => JSON.stringify(item))
    if (items(before).toSorted().join() !== items(after).toSorted().join()) return null
    const timeOf = ({ timestamp, received_at }: StoredMessage) =>
      Math.min(Date.parse(timestamp), Date.parse(received_at))
    const messages = before.ok!.pages.flat()
    for (const old of messages) {
      for (const [name, value] of Object.entries(old.telemetries)) {
        const isRemoved = messages.some(({ override = false, telemetries, ...item }) => {
          const removes = byOverride ? override && telemetries[name] === undefined : telemetries[name] === null
          return removes && timeOf({ ...item, telemetries }) > timeOf(old)
        })
        if (!isRemoved || value === null || last.ok!.state[name]) continue
        const state = { ...last.ok!.state, [name]: { value, at: new Date(timeOf(old)).toISOString() } }
        const calls = history.calls.map((call) => (call === last ? { ...last, ok: { ...last.ok!, state } } : call))
        return { ...history, calls }
      }
    }
    return null
  }

/** The first item of the second page, of one that was complete. */
const skip: Plant = (history) => {
  const acknowledged = callsOf(history, 'send').filter(({ ok }) => ok !== null)
  const walk = callsOf(history, 'pages').find(({ ok, invoked }) => {
    const [item] = ok?.pages[1] ?? []
    // Without a timestamp it may be stored again, on another page.
    const isOnce = ok?.pages.flat().filter((each) => item && marked(each) === marked(item)).length === 1
    const isKnown = ({ input, returned }: (typeof acknowledged)[number]) =>
      input.message.mark === marked(item!) && returned! < invoked
    return item && isOnce && acknowledged.some(isKnown)
  })
  if (!walk) return null
  return withPages(
    history,
    (call) => call === walk,
    (pages) => pages.map((items, index) => (index === 1 ? items.slice(1) : items)),
  )
}

const tooEarly: Plant = (history) => {
  const claims = callsOf(history, 'claim')
  const delivery = history.deliveries.find(({ type }) => type === 'device.claimed')
  if (!delivery || claims.length === 0) return null
  const at = Math.min(...claims.map(({ invoked }) => invoked)) - 1
  return { ...history, deliveries: history.deliveries.map((each) => (each === delivery ? { ...each, at } : each)) }
}

const outliveToken: Plant = (history) => {
  const refused = callsOf(history, 'use').find(({ refused }) => refused !== null && refused !== 'too_many')
  if (!refused) return null
  return { ...history, streams: [{ token: refused.input.token, opened: refused.invoked, ended: null }] }
}

const hideRemoval: Plant = (history) => {
  const removal = callsOf(history, 'remove').find(({ ok, input, invoked }) => {
    const claim = callsOf(history, 'claim').find(({ ok, returned }) => ok?.id === input.id && returned! < invoked)
    const isOpen = history.live.some(({ event, stream, at }) => {
      return event === 'ready' && stream === claim?.input.customer && at < invoked
    })
    return ok !== null && isOpen
  })
  if (!removal) return null
  const live = history.live.filter(({ event, data }) => event !== 'removed' || data.device_id !== removal.input.id)
  return { ...history, live }
}

const hushRevocation: Plant = (history) => {
  const dead = callsOf(history, 'use').some(({ refused }) => refused !== null && refused !== 'too_many')
  const deliveries = history.deliveries.filter(({ type }) => type !== 'grant.revoked')
  return dead && deliveries.length < history.deliveries.length ? { ...history, deliveries } : null
}

export const plantedFaults: Record<string, PlantedFault> = {
  'a lost message': { plant: loseMessage, rule: /^acknowledged ⊆ stored/ },
  'a doubled message': { plant: doubleMessage, rule: /^once per message/ },
  'a token honoured late': { plant: honourLate, rule: /^a grant is linearizable/ },
  'a state that goes back': { plant: goBack, rule: /^the state never goes back/ },
  'a removed value that comes back': { plant: bringBack(false), rule: /^state = fold of history/ },
  'an override that keeps an old value': { plant: bringBack(true), rule: /^state = fold of history/ },
  'a page that skips': { plant: skip, rule: /pages are complete$/ },
  'a webhook before its cause': { plant: tooEarly, rule: /^no webhook before its cause/ },
  'a revocation without a webhook': { plant: hushRevocation, rule: /^webhooks at least once/ },
  'a removal that no live stream shows': { plant: hideRemoval, rule: /^a live stream shows a removal/ },
  'a live stream that outlives its token': { plant: outliveToken, rule: /^a live stream ends with its token/ },
}
