// /openapi.json, devices/stream: an event whenever a device sends a message; one may come twice, none shows an older state.
import { callsOf, type History, type LiveEvent, type Violation } from './history.ts'

export function liveViolations(history: History): Violation[] {
  return [...Map.groupBy(history.live, ({ stream }) => stream)].flatMap(([stream, events]) => {
    const states = events.filter(({ event }) => event === 'state')
    const last = states.at(-1)
    return [
      ...backwards(stream, states),
      ...(last ? behind(history, stream, last) : silent(history, stream, events[0]!)),
    ]
  })
}

/** Open, and nothing came of what was sent since. */
function silent(history: History, stream: string, opened: LiveEvent): Violation[] {
  const sent = callsOf(history, 'send').find(({ key, ok, invoked }) => {
    return ok !== null && key === opened.data.device_id && invoked > opened.at
  })
  return sent
    ? [{ rule: 'a live stream shows the state in the end', sentence: `${stream} is silent`, calls: [sent] }]
    : []
}

function backwards(stream: string, events: LiveEvent[]): Violation[] {
  return events.flatMap((event, index) => {
    const before = events[index - 1]?.data.state ?? {}
    return Object.entries(before).flatMap(([name, { at }]): Violation[] => {
      const next = event.data.state?.[name]
      if (next && Date.parse(next.at) >= Date.parse(at)) return []
      const sentence = `${stream}: ${name} was of ${at}, and at ${event.at.toFixed(0)} of ${next?.at ?? 'no time at all'}`
      return [{ rule: 'a live state never goes back', sentence, calls: [] }]
    })
  })
}

/** Once nobody sends any more, the last event shows what a read shows. */
function behind(history: History, stream: string, { data }: LiveEvent): Violation[] {
  const read = callsOf(history, 'state').findLast(({ key, ok }) => ok !== null && key === data.device_id)
  return Object.entries(read?.ok?.state ?? {}).flatMap(([name, { at }]): Violation[] => {
    const shown = data.state?.[name]
    if (shown && Date.parse(shown.at) >= Date.parse(at)) return []
    const sentence = `${stream}: ${name} stayed at ${shown?.at ?? 'nothing'}, and a read shows that of ${at}`
    return [{ rule: 'a live stream shows the state in the end', sentence, calls: [read!] }]
  })
}
