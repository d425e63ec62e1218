import type { BaseContext } from '../../platform/context.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { type Reason, reasonOf } from '../registry/device-details.ts'
import { listOwned, listOwnedAfter, listRemovedSince } from '../store/live.ts'
import { mergeState, type State } from '../telemetry/state.ts'
import { type LiveState, listStates, readLive } from '../telemetry-store/telemetry-store.ts'
import { liveTopics } from './topics.ts'

export type LiveEvent =
  | { kind: 'state'; data: { device_id: string; status: string; last_seen_at: Date | null; state: State } }
  | { kind: 'status'; data: { device_id: string; status: string; status_at: Date; reason: Reason | null } }
  | { kind: 'removed'; data: { device_id: string } }

export interface DeviceSubscriber {
  /** `at` is the instant before which this read missed nothing. */
  onEvents(events: LiveEvent[], at: Date): void
  /** Notifications may be lost from now on: the subscriber must resume from its last event. */
  onGap(): void
}

const readAtOnce = 200
/** Devices that a stream that resumes compares, and reads, at once: other requests wait while a page is parsed. */
const catchUpPage = { compared: 200, read: 50 }

/** Devices by what has changed. */
interface Changes {
  telemetry: Set<string>
  status: Set<string>
}

/** One customer's subscribers, and the devices that have to be read for them. */
interface CustomerFeed extends Changes {
  subscribers: Set<DeviceSubscriber>
  reading: boolean
}

export interface DeviceFeed {
  /** Calls the subscriber with every change of the customer's devices from now on; the returned function unsubscribes. */
  subscribe(customerId: string, subscriber: DeviceSubscriber): Promise<() => void>
}

/** One reader per customer and process, however many streams: each changed device is read once for all of them. */
export function createDeviceFeed(context: BaseContext): DeviceFeed {
  const customers = new Map<string, CustomerFeed>()

  async function readChanges(customerId: string, feed: CustomerFeed): Promise<void> {
    if (feed.reading) return
    feed.reading = true
    try {
      while (feed.subscribers.size > 0 && feed.telemetry.size + feed.status.size > 0) {
        // Taken before they are read: a notification that arrives meanwhile is of a newer change.
        const { ids, changes } = takeChanges(feed)
        const at = context.now()
        const events = toEvents(ids, await readOwned(context.sql, customerId, ids), changes)
        for (const subscriber of feed.subscribers) subscriber.onEvents(events, at)
      }
    } catch (error) {
      context.log.warn({ err: error }, 'live: devices not read')
      for (const subscriber of feed.subscribers) subscriber.onGap()
    } finally {
      feed.reading = false
    }
  }

  function onNotification(kind: keyof Changes, item: string): void {
    const [customerId = '', deviceId = ''] = item.split(':')
    const feed = customers.get(customerId)
    if (!feed) return
    feed[kind].add(deviceId)
    void readChanges(customerId, feed)
  }

  function onLoss(): void {
    for (const { subscribers } of customers.values()) for (const subscriber of subscribers) subscriber.onGap()
  }

  /** While anyone watches: a process without streams is not sent what the streams of others show. */
  async function start(): Promise<() => void> {
    const { notifications } = context
    const stops = [
      await notifications.subscribe(liveTopics.telemetry, (item) => onNotification('telemetry', item)),
      await notifications.subscribe(liveTopics.status, (item) => onNotification('status', item)),
      notifications.onLoss(onLoss),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  let started: Promise<() => void> | undefined
  return {
    async subscribe(customerId, subscriber) {
      let feed = customers.get(customerId)
      if (!feed) {
        feed = { subscribers: new Set(), telemetry: new Set(), status: new Set(), reading: false }
        customers.set(customerId, feed)
      }
      feed.subscribers.add(subscriber)
      const unsubscribe = () => {
        feed.subscribers.delete(subscriber)
        if (feed.subscribers.size === 0 && customers.get(customerId) === feed) customers.delete(customerId)
        if (customers.size > 0) return
        void started?.then((stop) => stop())
        started = undefined
      }
      started ??= start()
      try {
        await context.notifications.listening()
        await started
      } catch (error) {
        unsubscribe()
        throw error
      }
      return unsubscribe
    },
  }
}

/** What changed since an instant, a few devices at a time. */
export async function* changesSince(
  context: BaseContext,
  customerId: string,
  since: Date,
  deviceId: string | null,
): AsyncGenerator<LiveEvent[]> {
  const { sql } = context
  const owned = pagesOf(catchUpPage.compared, (page) =>
    listOwnedAfter(sql, customerId, { ...page, device_id: deviceId }),
  )
  for await (const devices of owned) {
    const statusAt = new Map(devices.map(({ id, status_at }) => [id, status_at]))
    const states = await listStates(sql, [...statusAt.keys()])
    const telemetry = new Set<string>()
    const status = new Set<string>()
    for (const { device_id, last_seen_at, status_at } of states) {
      if (last_seen_at !== null && last_seen_at >= since) telemetry.add(device_id)
      if ((status_at ?? statusAt.get(device_id)!) >= since) status.add(device_id)
    }
    const ids = [...statusAt.keys()].filter((id) => telemetry.has(id) || status.has(id))
    // Also where nothing has changed, since the reader rests after each.
    if (ids.length === 0) yield []
    for (let from = 0; from < ids.length; from += catchUpPage.read) {
      const some = ids.slice(from, from + catchUpPage.read)
      yield toEvents(some, await readOwned(sql, customerId, some), { telemetry, status })
    }
  }
  const removedPages = pagesOf(catchUpPage.compared, (page) =>
    listRemovedSince(sql, customerId, since, { ...page, device_id: deviceId }),
  )
  for await (const removed of removedPages) yield removed.map(({ id }) => removal(id))
}

async function* pagesOf<Row extends { id: string }>(
  limit: number,
  read: (page: { after: string; limit: number }) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let rows = await read({ after: '00000000-0000-0000-0000-000000000000', limit })
  while (rows.length > 0) {
    yield rows
    rows = rows.length < limit ? [] : await read({ after: rows.at(-1)!.id, limit })
  }
}

interface OwnedState extends LiveState {
  status_at: Date
}

/** The states of those devices that are still the customer's. */
async function readOwned(sql: Sql, customerId: string, ids: string[]): Promise<OwnedState[]> {
  const owned = new Map((await listOwned(sql, customerId, ids)).map(({ id, status_at }) => [id, status_at]))
  if (owned.size === 0) return []
  const states = await readLive(sql, [...owned.keys()])
  return states.map((state) => ({ ...state, status_at: state.status_at ?? owned.get(state.device_id)! }))
}

function takeChanges({ telemetry, status }: Changes): { ids: string[]; changes: Changes } {
  const ids = [...new Set([...status, ...telemetry])].slice(0, readAtOnce)
  const changes = {
    telemetry: new Set(ids.filter((id) => telemetry.delete(id))),
    status: new Set(ids.filter((id) => status.delete(id))),
  }
  return { ids, changes }
}

/** A device that changed and is no longer found with its customer was removed. */
function toEvents(ids: string[], rows: OwnedState[], changes: Changes): LiveEvent[] {
  const found = new Map(rows.map((row) => [row.device_id, row]))
  return ids.flatMap((id) => {
    const row = found.get(id)
    if (!row) return [removal(id)]
    const { device_id, status, status_at, last_seen_at } = row
    const events: LiveEvent[] = []
    if (changes.status.has(id)) {
      const reason = reasonOf({ ...row, alarm: null })
      events.push({ kind: 'status', data: { device_id, status, status_at, reason } })
    }
    if (changes.telemetry.has(id)) {
      events.push({ kind: 'state', data: { device_id, status, last_seen_at, state: mergeState(row) } })
    }
    return events
  })
}

function removal(device_id: string): LiveEvent {
  return { kind: 'removed', data: { device_id } }
}
