import type { Context } from '../../context.ts'
import { perContext } from '../../platform/database/per-context.ts'
import { type LiveRow, listChangedSince, listRemovedSince, readLive } from '../store/live.ts'
import { mergeState, type State } from '../telemetry/state.ts'
import { liveStatusTopic, liveTelemetryTopic } from './publish.ts'

export type LiveEvent =
  | { kind: 'state'; data: { device_id: string; status: string; last_seen_at: Date | null; state: State } }
  | { kind: 'status'; data: { device_id: string; status: string; status_at: Date } }
  | { kind: 'removed'; data: { device_id: string } }

export interface Follower {
  /** `at` is the instant before which nothing was missed by this read. */
  tell(events: LiveEvent[], at: Date): void
  /** Word may have been lost: whoever follows must begin again from where it was. */
  lost(): void
}

const readAtOnce = 200

/** The devices of one customer that are to be read again, and those who wait for it. */
interface Followed {
  followers: Set<Follower>
  spoke: Set<string>
  turned: Set<string>
  reading: boolean
}

/** One reader a customer and process, however many streams: word comes in, rows are read once, all are told. */
const following = perContext((context: Context) => {
  const customers = new Map<string, Followed>()

  async function readOn(customerId: string, followed: Followed): Promise<void> {
    if (followed.reading) return
    followed.reading = true
    try {
      while (followed.followers.size > 0 && followed.spoke.size + followed.turned.size > 0) {
        // Taken before they are read: word that comes meanwhile is of something newer.
        const { ids, ...kinds } = take(followed)
        const at = context.now()
        const events = eventsOf(ids, await readLive(context.sql, customerId, ids), kinds)
        for (const follower of followed.followers) follower.tell(events, at)
      }
    } catch (error) {
      context.log.warn({ err: error }, 'live: devices not read')
      for (const follower of followed.followers) follower.lost()
    } finally {
      followed.reading = false
    }
  }

  function hear(kind: 'spoke' | 'turned', message: string): void {
    for (const word of message.split(' ')) {
      const [customerId = '', deviceId = ''] = word.split(':')
      const followed = customers.get(customerId)
      if (!followed) continue
      followed[kind].add(deviceId)
      void readOn(customerId, followed)
    }
  }

  const started = (async () => {
    await context.notifications.subscribe(liveTelemetryTopic, (message) => hear('spoke', message))
    await context.notifications.subscribe(liveStatusTopic, (message) => hear('turned', message))
    context.notifications.afterGap(() => {
      for (const { followers } of customers.values()) for (const follower of followers) follower.lost()
    })
  })()
  return { customers, started }
})

/** Tells a follower of every change of the customer's devices from now on; the returned function stops it. */
export async function followDevices(context: Context, customerId: string, follower: Follower): Promise<() => void> {
  const { customers, started } = following(context)
  await started
  let followed = customers.get(customerId)
  if (!followed) {
    followed = { followers: new Set(), spoke: new Set(), turned: new Set(), reading: false }
    customers.set(customerId, followed)
  }
  followed.followers.add(follower)
  return () => {
    followed.followers.delete(follower)
    if (followed.followers.size === 0 && customers.get(customerId) === followed) customers.delete(customerId)
  }
}

/** What changed since an instant, a few devices at a time. */
export async function* changesSince(
  context: Context,
  customerId: string,
  since: Date,
  deviceId: string | null,
): AsyncGenerator<LiveEvent[]> {
  const page = (after: string) => ({ after, limit: readAtOnce, device_id: deviceId })
  const changes = pagesOf((after) => listChangedSince(context.sql, customerId, since, page(after)))
  for await (const changed of changes) {
    const ids = changed.map(({ id }) => id)
    const rows = await readLive(context.sql, customerId, ids)
    const spoke = new Set(changed.filter((device) => device.spoke).map(({ id }) => id))
    const turned = new Set(changed.filter((device) => device.turned).map(({ id }) => id))
    yield eventsOf(ids, rows, { spoke, turned })
  }
  const removals = pagesOf((after) => listRemovedSince(context.sql, customerId, since, page(after)))
  for await (const removed of removals) yield removed.map(({ id }) => removal(id))
}

async function* pagesOf<Row extends { id: string }>(read: (after: string) => Promise<Row[]>): AsyncGenerator<Row[]> {
  let rows = await read('00000000-0000-0000-0000-000000000000')
  while (rows.length > 0) {
    yield rows
    rows = rows.length < readAtOnce ? [] : await read(rows.at(-1)!.id)
  }
}

function take({ spoke, turned }: Followed): { ids: string[]; spoke: Set<string>; turned: Set<string> } {
  const ids = [...new Set([...turned, ...spoke])].slice(0, readAtOnce)
  return {
    ids,
    spoke: new Set(ids.filter((id) => spoke.delete(id))),
    turned: new Set(ids.filter((id) => turned.delete(id))),
  }
}

/** A device of which there was word, and which is not found with its customer any more, was removed. */
function eventsOf(ids: string[], rows: LiveRow[], kinds: { spoke: Set<string>; turned: Set<string> }): LiveEvent[] {
  const found = new Map(rows.map((row) => [row.device_id, row]))
  return ids.flatMap((id) => {
    const row = found.get(id)
    if (!row) return [removal(id)]
    const { device_id, status, status_at, last_seen_at } = row
    const events: LiveEvent[] = []
    if (kinds.turned.has(id)) events.push({ kind: 'status', data: { device_id, status, status_at } })
    if (kinds.spoke.has(id)) {
      events.push({ kind: 'state', data: { device_id, status, last_seen_at, state: mergeState(row) } })
    }
    return events
  })
}

function removal(device_id: string): LiveEvent {
  return { kind: 'removed', data: { device_id } }
}
