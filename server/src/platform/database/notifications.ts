import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Connection } from './connection.ts'
import type { Pool, Sql } from './sql.ts'

/**
 * Messages between processes: LISTEN/NOTIFY on a connection of its own. Messages may be lost while that connection is
 * down, so they never carry the data itself: a subscriber reads it again, and after a gap every subscriber does.
 */
export interface Notifications {
  /** Resolves once this process listens; the returned function unsubscribes. */
  subscribe(topic: string, onMessage: (message: string) => void): Promise<() => void>
  /** Calls `readAgain` whenever messages may have been missed. */
  afterGap(readAgain: () => void): () => void
  /**
   * In a transaction, the message is sent with its commit, or not at all. Never in the ingest's: Postgres runs commits
   * with a NOTIFY one at a time.
   */
  publish(sql: Sql, topic: string, message: string): Promise<void>
  close(): Promise<void>
}

const channel = 'landbridge'
/** The name of this connection in pg_stat_activity. */
export const listenerApplicationName = 'landbridge live'
/** How often the connection is tested: one that vanished without a reset would otherwise never be noticed. */
const testMilliseconds = 5_000
/** Pauses before the next attempt to connect; each is twice as long as the one before. */
const pauses = { first: 200, longest: 5_000 }
/** Postgres refuses 8,000 bytes and more. */
export const maxMessageBytes = 7_800

export function createNotifications(pool: Pool, log: Logger): Notifications {
  const topics = new Map<string, Set<(message: string) => void>>()
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
    const space = payload.indexOf(' ')
    for (const onMessage of topics.get(payload.slice(0, space)) ?? []) onMessage(payload.slice(space + 1))
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
    const gone = new Promise<void>((resolve) => opened.onLost(resolve))
    opened.client.on('notification', onNotification)
    try {
      await opened.run({ text: `listen ${channel}`, name: undefined, values: [] })
      if (attempts > 0) {
        const seconds = Math.round((performance.now() - lostAt) / 100) / 10
        log.warn({ seconds, attempts }, 'live updates: connected again')
      }
      attempts = 0
      if (listenedBefore) for (const readAgain of gapListeners) readAgain()
      listenedBefore = true
      onFirstListening()
      while (!closing.signal.aborted) {
        await Promise.race([gone, sleep(testMilliseconds, undefined, { signal: closing.signal, ref: false })])
        await Promise.race([
          opened.run({ text: 'select 1', name: undefined, values: [] }),
          sleep(testMilliseconds, 0, { ref: false }).then(fail),
        ])
      }
    } finally {
      opened.destroy()
    }
  }

  return {
    async subscribe(topic, onMessage) {
      const listeners = topics.get(topic) ?? new Set()
      topics.set(topic, listeners.add(onMessage))
      listening ??= new Promise((resolve) => {
        onFirstListening = resolve
        void keepListening()
      })
      await listening
      return () => listeners.delete(onMessage)
    },
    afterGap(readAgain) {
      gapListeners.add(readAgain)
      return () => gapListeners.delete(readAgain)
    },
    async publish(sql, topic, message) {
      await sql`select pg_notify(${channel}, ${`${topic} ${message}`})`
    },
    async close() {
      closing.abort()
      connection?.destroy()
    },
  }
}

/** With jitter, so that many processes do not connect at the same moment. */
function pauseBefore(attempt: number): number {
  const pause = Math.min(pauses.first * 2 ** attempt, pauses.longest)
  return pause * (0.5 + Math.random() / 2)
}

function fail(): never {
  throw new Error('The connection was lost.')
}
