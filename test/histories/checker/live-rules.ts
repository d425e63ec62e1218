// /openapi.json, devices/stream: an event whenever a device sends a message or its status changes, one when it is no longer
// the customer's; one may come twice, none shows an older state. The stream ends when its credential does.
import { type AnyCall, callsOf, type History, isUnknown, type LiveEvent, type Violation } from './history.ts'
import { mayBeRemoved } from './telemetry-rules.ts'

export function liveViolations(history: History): Violation[] {
  const ofDevice = Map.groupBy(history.live, ({ stream, data }) => `${stream} ${data.device_id}`)
  return [
    ...[...ofDevice.values()].flatMap((events) => violationsOf(history, events)),
    ...foreign(history),
    ...uncaused(history),
    ...unseenRemovals(history),
    ...outlived(history),
  ]
}

function violationsOf(history: History, events: LiveEvent[]): Violation[] {
  const states = events.filter(({ event }) => event === 'state')
  const last = states.at(-1)
  return [
    ...backwards(history, states),
    ...(last ? behind(history, last) : silent(history, events[0]!)),
    ...wrong(history, events),
  ]
}

/** Open, and nothing came of what was sent since. */
function silent(history: History, opened: LiveEvent): Violation[] {
  const sent = callsOf(history, 'send').find(({ key, ok, invoked }) => {
    return ok !== null && key === opened.data.device_id && invoked > opened.at
  })
  return sent
    ? [{ rule: 'a live stream shows the state in the end', sentence: `${opened.stream} is silent`, calls: [sent] }]
    : []
}

function backwards(history: History, events: LiveEvent[]): Violation[] {
  return events.flatMap((event, index) => {
    const before = events[index - 1]?.data.state ?? {}
    return Object.entries(before).flatMap(([name, { at }]): Violation[] => {
      const next = event.data.state?.[name]
      if (next && Date.parse(next.at) >= Date.parse(at)) return []
      const sends = callsOf(history, 'send').filter(({ key }) => key === event.data.device_id)
      if (!next && mayBeRemoved(sends, name, Date.parse(at), event.at)) return []
      const sentence = `${event.stream}: ${name} was of ${at}, and at ${event.at.toFixed(0)} of ${next?.at ?? 'no time at all'}`
      return [{ rule: 'a live state never goes back', sentence, calls: [] }]
    })
  })
}

/** Once nobody sends any more, the last event shows what a read shows, and nothing that was removed. */
function behind(history: History, { stream, data }: LiveEvent): Violation[] {
  const read = callsOf(history, 'state').findLast(({ key, ok }) => ok !== null && key === data.device_id)
  const sends = callsOf(history, 'send').filter(({ key }) => key === data.device_id)
  const isOver = read && sends.every((send) => !isUnknown(send) && send.returned! < read.invoked)
  const kept = Object.keys(data.state ?? {}).filter((name) => isOver && !read.ok!.state[name])
  const shown: Violation[] = kept.map((name) => ({
    rule: 'a live stream shows the state in the end',
    sentence: `${stream}: ${name} is still shown, and a read has none`,
    calls: [read!],
  }))
  const missing = Object.entries(read?.ok?.state ?? {}).flatMap(([name, { at }]): Violation[] => {
    const shown = data.state?.[name]
    if (shown && Date.parse(shown.at) >= Date.parse(at)) return []
    const sentence = `${stream}: ${name} stayed at ${shown?.at ?? 'nothing'}, and a read shows that of ${at}`
    return [{ rule: 'a live stream shows the state in the end', sentence, calls: [read!] }]
  })
  return [...shown, ...missing]
}

/** In the end the status is that of the last change which the partner was told, of a device that is still the customer's. */
function wrong({ deliveries }: History, events: LiveEvent[]): Violation[] {
  const { stream, event, data } = events.at(-1)!
  const changes = deliveries.filter(
    (delivery) => delivery.type === 'device.status_changed' && delivery.data.device_id === data.device_id,
  )
  const shown = events.findLast(({ data }) => data.status !== undefined)
  if (event === 'removed' || !shown || changes.length === 0) return []
  const newest = Math.max(...changes.map(({ timestamp }) => Date.parse(timestamp)))
  // Of several with one timestamp the ids say which is the last, which any of them may be here.
  const possible = changes.filter(({ timestamp }) => Date.parse(timestamp) === newest)
  if (possible.some((change) => change.data.status === shown.data.status)) return []
  const sentence = `${stream}: ${data.device_id} stayed ${shown.data.status}, and is ${possible[0]!.data.status}`
  return [{ rule: 'a live stream shows the status in the end', sentence, calls: [], deliveries: possible }]
}

const happened = ({ refused }: AnyCall) => refused === null

/** A device is on the stream of a customer that has claimed it, and on no other. */
function foreign(history: History): Violation[] {
  const claims = callsOf(history, 'claim').filter(happened)
  return history.live.flatMap(({ at, stream, event, data }): Violation[] => {
    const isTheirs = claims.some(({ ok, input, invoked }) => {
      return input.customer === stream && invoked <= at && (ok === null || ok.id === data.device_id)
    })
    if (event === 'ready' || isTheirs) return []
    const sentence = `${stream} was shown ${data.device_id}, which it had not claimed`
    return [{ rule: 'a live stream shows the devices of its customer', sentence, calls: claims }]
  })
}

const removalsOf = (history: History, id: string) => {
  return callsOf(history, 'remove').filter((call) => happened(call) && call.input.id === id)
}

function uncaused(history: History): Violation[] {
  return history.live.flatMap(({ at, stream, event, data }): Violation[] => {
    const removals = removalsOf(history, data.device_id)
    if (event !== 'removed' || removals.some(({ invoked }) => invoked <= at)) return []
    const sentence = `${stream} was told that ${data.device_id} is removed before anybody had removed it`
    return [{ rule: 'no removal before its cause', sentence, calls: removals }]
  })
}

/** A stream that was open before the removal, or was resumed since, shows it, and nothing of that device afterwards. */
function unseenRemovals(history: History): Violation[] {
  return callsOf(history, 'remove').flatMap((removal): Violation[] => {
    const { id } = removal.input
    const claim = callsOf(history, 'claim').find(({ ok, returned }) => ok?.id === id && returned! < removal.invoked)
    const events = history.live.filter(({ stream }) => stream === claim?.input.customer)
    const isOpen = events.some(({ event, at }) => event === 'ready' && at < removal.invoked)
    const last = events.findLast(({ data }) => data.device_id === id)
    if (removal.ok === null || !claim || !isOpen || last?.event === 'removed') return []
    const sentence = `${claim.input.customer}: the last event about ${id} is ${last?.event ?? 'none'}`
    return [{ rule: 'a live stream shows a removal in the end', sentence, calls: [claim, removal] }]
  })
}

/** Decision 8.6 says within a second, of which faults leave nothing: it ends, sooner or later. */
function outlived(history: History): Violation[] {
  return history.streams.flatMap(({ token, opened, ended }): Violation[] => {
    const refused = callsOf(history, 'use').find(({ input, refused }) => {
      return input.token === token && refused !== null && refused !== 'too_many'
    })
    if (ended !== null || !refused) return []
    const sentence = `one of ${token}, opened at ${opened.toFixed(0)}, is still open`
    return [{ rule: 'a live stream ends with its token', sentence, calls: [refused] }]
  })
}
