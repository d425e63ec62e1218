import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { databaseLimits } from '../own-limits.ts'
import type { Connection } from './connection.ts'
import { ConnectionLost } from './connection-lost.ts'
import type { Pool, Sql } from './sql.ts'

/**
 * Messages between processes: LISTEN/NOTIFY on one separate connection per process, which listens to the topics that
 * this process subscribes to and no others. Messages may be lost while that connection is down, so they never carry the
 * data itself: a subscriber reads it again, and after a gap every subscriber does.
 */
export interface Notifications {
  /** `onItem` is called once per published item. Resolves once this process listens; the returned function unsubscribes. */
  subscribe(topic: string, onItem: (item: string) => void): Promise<() => void>
  /** To what this process itself publishes with `publishHere` or `wakeAfterCommit`; needs no connection. */
  subscribeHere(topic: string, onItem: (item: string) => void): () => void
  /** Resolves once this process listens, at once if it does; rejects when it does not come to that in time. */
  listening(): Promise<void>
  /** Calls `readAgain` whenever messages may have been missed, once this process listens again. */
  afterGap(readAgain: () => void): () => void
  /** Calls `react` when messages may be missed from now on. */
  onLoss(react: () => void): () => void
  /**
   * Items without spaces, as many per NOTIFY as fit, in one statement. In a transaction they are sent with its commit.
   * `to` is the channel of some processes; all that subscribe listen otherwise.
   * Never in the transaction that stores telemetry: Postgres lets only one commit with a NOTIFY in at a time.
   */
  publish(sql: Sql, topic: string, items: readonly string[], to?: string): Promise<void>
  /** To the subscribers of this process only, without a statement; `wakeAfterCommit` does so with a commit. */
  publishHere(topic: string): void
  close(): Promise<void>
}

/** Before the topic, in the name of a channel; triggers that notify have it too. */
const prefix = 'landbridge.'
/** The name of this connection in pg_stat_activity. */
export const listenerApplicationName = 'landbridge live'
/** How often the connection is tested: one that vanished without a reset would otherwise never be noticed. */
const testMilliseconds = 5_000
/** How long a caller that needs notifications waits for the connection. */
const maxWaitMilliseconds = 5_000
/** Postgres refuses payloads of 8,000 bytes and more. */
const maxPayloadBytes = 7_900

type OnItem = (item: string) => void

/** `channels`: those on which only some processes listen, this one among them, whatever the topic. */
export function createNotifications(pool: Pool, log: Logger, channels: readonly string[] = []): Notifications {
  const topics = new Map<string, Set<OnItem>>()
  /** Topics of `subscribe`, with the number of their subscriptions. */
  const shared = new Map<string, number>()
  const gapListeners = new Set<() => void>()
  const lossListeners = new Set<() => void>()
  const closing = new AbortController()
  let running = false
  let opened: Connection | undefined
  /** The connection, while it listens to all shared topics. */
  let listening: Connection | undefined
  let whenListening = Promise.withResolvers<void>()
  let listenedBefore = false
  /** Attempts to connect since the connection was lost. */
  let attempts = 0
  let lostAt = 0

  function onNotification({ channel, payload = '' }: { channel: string; payload?: string | undefined }): void {
    const items = payload.split(' ')
    const topic = channel.startsWith(prefix) ? channel.slice(prefix.length) : items.shift()!
    const listeners = topics.get(topic) ?? []
    for (const onItem of listeners) for (const item of items) onItem(item)
  }

  async function keepListening(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await listenUntilLost()
      } catch (error) {
        if (!closing.signal.aborted) reportLoss(error)
      }
      if (closing.signal.aborted) return
      await sleep(pauseBefore(attempts), undefined, { signal: closing.signal }).catch(() => {})
      attempts += 1
    }
  }

  /** Once per outage: an outage of an hour must not fill the log. */
  function reportLoss(error: unknown): void {
    if (attempts > 0) return
    lostAt = performance.now()
    log.warn({ err: error }, 'live updates: connection lost, connecting again')
  }

  async function listenUntilLost(): Promise<void> {
    const connection = await pool.connect({ applicationName: listenerApplicationName })
    opened = connection
    // Not a promise to race with: each round would add a reaction to it, for as long as the connection lasts.
    const over = new AbortController()
    const end = () => over.abort()
    connection.onLost(end)
    closing.signal.addEventListener('abort', end)
    connection.client.on('notification', onNotification)
    try {
      if (channels.length > 0) await send(connection, channels.map((name) => `listen "${name}"`).join('; '))
      const heard = new Set<string>()
      // Again for those that were added meanwhile.
      for (let topics = [...shared.keys()]; topics.length > 0; ) {
        await send(connection, topics.map((topic) => `listen ${channelOf(topic)}`).join('; '))
        for (const topic of topics) heard.add(topic)
        topics = [...shared.keys()].filter((topic) => !heard.has(topic))
      }
      if (attempts > 0) {
        const seconds = Math.round((performance.now() - lostAt) / 100) / 10
        log.warn({ seconds, attempts }, 'live updates: connected again')
      }
      attempts = 0
      listening = connection
      if (listenedBefore) for (const readAgain of gapListeners) readAgain()
      listenedBefore = true
      whenListening.resolve()
      while (!closing.signal.aborted) {
        await sleep(testMilliseconds, undefined, { signal: over.signal, ref: false }).catch(() => {})
        await Promise.race([send(connection, 'select 1'), sleep(testMilliseconds, 0, { ref: false }).then(fail)])
      }
    } finally {
      closing.signal.removeEventListener('abort', end)
      connection.destroy()
      if (listening) {
        listening = undefined
        whenListening = Promise.withResolvers()
        if (!closing.signal.aborted) for (const react of lossListeners) react()
      }
    }
  }

  async function listenTo(topic: string): Promise<void> {
    shared.set(topic, (shared.get(topic) ?? 0) + 1)
    if (!running) void keepListening()
    running = true
    try {
      if (listening) return await send(listening, `listen ${channelOf(topic)}`)
    } catch {
      // The connection was lost, and the next one listens to it.
    }
    await whenListening.promise
  }

  function stopListeningTo(topic: string): void {
    const left = shared.get(topic)! - 1
    if (left > 0) return void shared.set(topic, left)
    shared.delete(topic)
    if (listening) send(listening, `unlisten ${channelOf(topic)}`).catch(() => {})
  }

  function subscribeHere(topic: string, onItem: OnItem): () => void {
    const listeners = topics.get(topic) ?? new Set()
    topics.set(topic, listeners.add(onItem))
    return () => listeners.delete(onItem)
  }

  function publishHere(topic: string): void {
    for (const onItem of topics.get(topic) ?? []) onItem('')
  }
  pool.onWake(publishHere)

  return {
    async subscribe(topic, onItem) {
      const remove = subscribeHere(topic, onItem)
      let subscribed = true
      await listenTo(topic)
      return () => {
        if (!subscribed) return
        subscribed = false
        remove()
        stopListeningTo(topic)
      }
    },
    subscribeHere,
    async listening() {
      if (listening) return
      const late = sleep(maxWaitMilliseconds, 'late', { ref: false })
      if ((await Promise.race([whenListening.promise, late])) === 'late')
        throw new ConnectionLost('No connection to Postgres for live updates.')
    },
    afterGap: (readAgain) => addTo(gapListeners, readAgain),
    onLoss: (react) => addTo(lossListeners, react),
    async publish(sql, topic, items, to) {
      if (items.length === 0) return
      const payloads = to === undefined ? packItems(items) : packItems(items, topic)
      await sql`select pg_notify(${to ?? prefix + topic}, payload) from unnest(${payloads}::text[]) as payload`
    },
    publishHere,
    async close() {
      closing.abort()
      opened?.destroy()
    },
  }
}

/** Payloads of items with spaces between them, each as long as Postgres allows and behind the topic, if given. */
export function packItems(items: readonly string[], topic?: string): string[] {
  const payloads: string[] = []
  let room = 0
  for (const item of items) {
    const size = Buffer.byteLength(item) + 1
    if (payloads.length > 0 && size <= room) payloads.push(`${payloads.pop()} ${item}`)
    else {
      payloads.push(topic === undefined ? item : `${topic} ${item}`)
      room = maxPayloadBytes - (topic === undefined ? 0 : Buffer.byteLength(topic) + 1)
    }
    room -= size
  }
  return payloads
}

async function send(connection: Connection, text: string): Promise<void> {
  await connection.run({ text, name: undefined, values: [] })
}

function addTo(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function channelOf(topic: string): string {
  return `"${prefix}${topic}"`
}

/** With jitter, so that many processes do not connect at the same moment. */
function pauseBefore(attempt: number): number {
  const pause = Math.min(databaseLimits.firstPauseMilliseconds * 2 ** attempt, databaseLimits.longestPauseMilliseconds)
  return pause * (0.5 + Math.random() / 2)
}

function fail(): never {
  throw new Error('The connection was lost.')
}
