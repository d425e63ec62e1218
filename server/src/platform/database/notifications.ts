import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Connection } from './connection.ts'
import type { Pool, Sql } from './sql.ts'

/**
 * Messages between processes: LISTEN/NOTIFY on a separate connection. Messages may be lost while that connection is
 * down, so they never carry the data itself: a subscriber reads it again, and after a gap every subscriber does.
 */
export interface Notifications {
  /** `onItem` is called once per published item. Resolves once this process listens; the returned function unsubscribes. */
  subscribe(topic: string, onItem: (item: string) => void): Promise<() => void>
  /** Calls `readAgain` whenever messages may have been missed. */
  afterGap(readAgain: () => void): () => void
  /**
   * Items without spaces, as many per NOTIFY as fit, in one statement. In a transaction they are sent with its commit.
   * `to` is the channel of some processes; all listen otherwise.
   * Never in the transaction that stores telemetry: Postgres lets only one commit with a NOTIFY in at a time.
   */
  publish(sql: Sql, topic: string, items: readonly string[], to?: string): Promise<void>
  /** To the subscribers of this process only, without a statement. */
  publishHere(topic: string): void
  close(): Promise<void>
}

const channel = 'landbridge'
/** The name of this connection in pg_stat_activity. */
export const listenerApplicationName = 'landbridge live'
/** How often the connection is tested: one that vanished without a reset would otherwise never be noticed. */
const testMilliseconds = 5_000
/** Pauses before the next attempt to connect; each is twice as long as the one before. */
const pauses = { first: 200, longest: 5_000 }
/** Postgres refuses payloads of 8,000 bytes and more. */
const maxPayloadBytes = 7_900

/** `channels`: those on which only some processes listen, this one among them. */
export function createNotifications(pool: Pool, log: Logger, channels: readonly string[] = []): Notifications {
  const topics = new Map<string, Set<(item: string) => void>>()
  const gapListeners = new Set<() => void>()
  const closing = new AbortController()
  let connection: Connection | undefined
  let listening: Promise<void> | undefined
  let onFirstListening = () => {}
  let listenedBefore = false
  /** Attempts to connect since the connection was lost. */
  let attempts = 0
  let lostAt = 0

  function onNotification({ payload = '' }: { payload?: string | undefined }): void {
    const [topic = '', ...items] = payload.split(' ')
    for (const onItem of topics.get(topic) ?? []) for (const item of items) onItem(item)
  }

  async function keepListening(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await listenUntilLost()
      } catch (error) {
        if (!closing.signal.aborted) reportLoss(error)
      }
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
    const opened = await pool.connect({ applicationName: listenerApplicationName })
    connection = opened
    // Not a promise to race with: each round would add a reaction to it, for as long as the connection lasts.
    const over = new AbortController()
    const end = () => over.abort()
    opened.onLost(end)
    closing.signal.addEventListener('abort', end)
    opened.client.on('notification', onNotification)
    try {
      const text = [channel, ...channels].map((name) => `listen ${quoteName(name)}`).join('; ')
      await opened.run({ text, name: undefined, values: [] })
      if (attempts > 0) {
        const seconds = Math.round((performance.now() - lostAt) / 100) / 10
        log.warn({ seconds, attempts }, 'live updates: connected again')
      }
      attempts = 0
      if (listenedBefore) for (const readAgain of gapListeners) readAgain()
      listenedBefore = true
      onFirstListening()
      while (!closing.signal.aborted) {
        await sleep(testMilliseconds, undefined, { signal: over.signal, ref: false }).catch(() => {})
        await Promise.race([
          opened.run({ text: 'select 1', name: undefined, values: [] }),
          sleep(testMilliseconds, 0, { ref: false }).then(fail),
        ])
      }
    } finally {
      closing.signal.removeEventListener('abort', end)
      opened.destroy()
    }
  }

  return {
    async subscribe(topic, onItem) {
      const listeners = topics.get(topic) ?? new Set()
      topics.set(topic, listeners.add(onItem))
      listening ??= new Promise((resolve) => {
        onFirstListening = resolve
        void keepListening()
      })
      await listening
      return () => listeners.delete(onItem)
    },
    afterGap(readAgain) {
      gapListeners.add(readAgain)
      return () => gapListeners.delete(readAgain)
    },
    async publish(sql, topic, items, to = channel) {
      if (items.length === 0) return
      await sql`select pg_notify(${to}, payload) from unnest(${packItems(topic, items)}::text[]) as payload`
    },
    publishHere(topic) {
      for (const onItem of topics.get(topic) ?? []) onItem('')
    },
    async close() {
      closing.abort()
      connection?.destroy()
    },
  }
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** `<topic> <item> <item> …`, each payload as long as Postgres allows. */
export function packItems(topic: string, items: readonly string[]): string[] {
  const payloads: string[] = []
  let room = 0
  for (const item of items) {
    room -= Buffer.byteLength(item) + 1
    if (payloads.length === 0 || room < 0) {
      payloads.push(topic)
      room = maxPayloadBytes - Buffer.byteLength(topic) - Buffer.byteLength(item) - 1
    }
    payloads.push(`${payloads.pop()} ${item}`)
  }
  return payloads
}

/** With jitter, so that many processes do not connect at the same moment. */
function pauseBefore(attempt: number): number {
  const pause = Math.min(pauses.first * 2 ** attempt, pauses.longest)
  return pause * (0.5 + Math.random() / 2)
}

function fail(): never {
  throw new Error('The connection was lost.')
}
