import type { Context as DirectoryContext } from '../../directory/context.ts'
import { spacesAboveEach, spacesWithin } from '../../directory/organization/spaces.ts'
import type { BaseContext } from '../../platform/context.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { type Reason, reasonOf } from '../registry/device-details.ts'
import type { CustomerOwner } from '../store/devices-sql.ts'
import { listOwned, listOwnedAfter, listRemovedSince } from '../store/live.ts'
import { mergeState, type State } from '../telemetry/state.ts'
import { type LiveState, listStates, readLive } from '../telemetry-store/telemetry-store.ts'
import { liveTopics, movedTopic } from './topics.ts'

export type LiveEvent =
  | { kind: 'state'; data: { device_id: string; status: string; last_seen_at: Date | null; state: State } }
  | { kind: 'status'; data: { device_id: string; status: string; status_at: Date; reason: Reason | null } }
  | { kind: 'removed'; data: { device_id: string } }

/** An event, and whom it is for: whoever reaches these spaces, or everything (null). */
export interface PlacedEvent {
  event: LiveEvent
  isFor(within: readonly string[] | null): boolean
}

export interface DeviceSubscriber {
  /** It reaches some spaces only. */
  placed: boolean
  /** `at` is the instant before which this read missed nothing. */
  onEvents(events: PlacedEvent[], at: Date): void
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
  /** With the spaces that they left; empty for none. */
  moved: Map<string, Set<string>>
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
      while (feed.subscribers.size > 0 && feed.telemetry.size + feed.status.size + feed.moved.size > 0) {
        // Taken before they are read: a notification that arrives meanwhile is of a newer change.
        const { ids, changes } = takeChanges(feed)
        const at = context.now()
        const placed = [...feed.subscribers].some((subscriber) => subscriber.placed)
        const owned = await readOwned(context.sql, customerId, ids, { placed })
        const left = await spacesAboveEach(
          context.sql,
          [...changes.moved.values()].flatMap((from) => [...from]),
        )
        const events = [...toPlaced(ids, owned, changes), ...toMoves(owned, changes, left)]
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
    const [customerId = '', deviceId = '', from = ''] = item.split(':')
    const feed = customers.get(customerId)
    if (!feed) return
    if (kind === 'moved') feed.moved.set(deviceId, (feed.moved.get(deviceId) ?? new Set()).add(from))
    else feed[kind].add(deviceId)
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
      await notifications.subscribe(movedTopic, (item) => onNotification('moved', item)),
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
        feed = { subscribers: new Set(), telemetry: new Set(), status: new Set(), moved: new Map(), reading: false }
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
  context: DirectoryContext,
  owner: CustomerOwner,
  since: Date,
  deviceId: string | null,
): AsyncGenerator<LiveEvent[]> {
  const { sql } = context
  const { customer_id, within } = owner
  const spaceIds = within ? await spacesWithin(context, customer_id, within) : null
  const owned = pagesOf(catchUpPage.compared, (page) =>
    listOwnedAfter(sql, customer_id, spaceIds, { ...page, device_id: deviceId }),
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
      const events = toPlaced(some, await readOwned(sql, customer_id, some, { placed: spaceIds !== null }), {
        telemetry,
        status,
      })
      // Which of them have moved meanwhile, the devices themselves know.
      yield events.filter(({ isFor }) => isFor(within ?? null)).map(({ event }) => event)
    }
  }
  const removedPages = pagesOf(catchUpPage.compared, (page) =>
    listRemovedSince(sql, owner, since, { ...page, device_id: deviceId }),
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
  above: string[]
}

/** The states of those devices that are still the customer's. */
async function readOwned(
  sql: Sql,
  customerId: string,
  ids: string[],
  { placed }: { placed: boolean },
): Promise<OwnedState[]> {
  const owned = new Map((await listOwned(sql, customerId, ids, { placed })).map((device) => [device.id, device]))
  if (owned.size === 0) return []
  const states = await readLive(sql, [...owned.keys()])
  return states.map((state) => {
    const { status_at, above } = owned.get(state.device_id)!
    return { ...state, above, status_at: state.status_at ?? status_at }
  })
}

function takeChanges({ telemetry, status, moved }: Changes): { ids: string[]; changes: Changes } {
  const ids = [...new Set([...moved.keys(), ...status, ...telemetry])].slice(0, readAtOnce)
  const changes = {
    telemetry: new Set(ids.filter((id) => telemetry.delete(id))),
    status: new Set(ids.filter((id) => status.delete(id))),
    moved: new Map(ids.flatMap((id) => (moved.has(id) ? [[id, moved.get(id)!]] : []))),
  }
  for (const id of changes.moved.keys()) moved.delete(id)
  return { ids, changes }
}

function isIn(above: readonly string[], within: readonly string[]): boolean {
  return within.some((space) => above.includes(space))
}

/** A device that changed and is no longer found with its customer was removed. */
function toPlaced(
  ids: string[],
  rows: OwnedState[],
  { telemetry, status }: Pick<Changes, 'telemetry' | 'status'>,
): PlacedEvent[] {
  const found = new Map(rows.map((row) => [row.device_id, row]))
  return ids.flatMap((id): PlacedEvent[] => {
    const row = found.get(id)
    if (!row) return [{ event: removal(id), isFor: () => true }]
    const isFor = (within: readonly string[] | null) => within === null || isIn(row.above, within)
    const events = [...(status.has(id) ? [statusOf(row)] : []), ...(telemetry.has(id) ? [stateOf(row)] : [])]
    return events.map((event) => ({ event, isFor }))
  })
}

/** For whoever reaches some spaces only: a device that came into them, and one that left them. */
function toMoves(rows: OwnedState[], { moved }: Changes, left: Map<string, string[]>): PlacedEvent[] {
  return rows.flatMap((row): PlacedEvent[] => {
    const from = moved.get(row.device_id)
    if (!from) return []
    const before = [...from].flatMap((space) => left.get(space) ?? [])
    return [
      ...[statusOf(row), stateOf(row)].map((event) => ({
        event,
        isFor: (within: readonly string[] | null) =>
          within !== null && isIn(row.above, within) && !isIn(before, within),
      })),
      {
        event: removal(row.device_id),
        isFor: (within) => within !== null && !isIn(row.above, within) && isIn(before, within),
      },
    ]
  })
}

function statusOf(row: OwnedState): LiveEvent {
  const { device_id, status, status_at } = row
  return { kind: 'status', data: { device_id, status, status_at, reason: reasonOf({ ...row, alarm: null }) } }
}

function stateOf(row: OwnedState): LiveEvent {
  const { device_id, status, last_seen_at } = row
  return { kind: 'state', data: { device_id, status, last_seen_at, state: mergeState(row) } }
}

function removal(device_id: string): LiveEvent {
  return { kind: 'removed', data: { device_id } }
}
