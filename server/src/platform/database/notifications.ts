import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Connection } from './connection.ts'
import type { Pool, Sql } from './sql.ts'

/**
 * Word between processes: LISTEN/NOTIFY on a connection of its own. Word may be lost while that connection is down, so
 * it never carries the truth: whoever hears it reads again, and after a gap everybody reads again.
 */
export interface Notifications {
  /** Resolves once this process hears; the returned function stops it. */
  subscribe(topic: string, onMessage: (message: string) => void): Promise<() => void>
  /** Runs whenever word may have been missed: read again whatever you follow. */
  afterGap(readAgain: () => void): () => void
  /**
   * In a transaction, word goes out with its commit, so that neither can be without the other. Never in the ingest's:
   * Postgres lets only one commit with a NOTIFY in at a time.
   */
  publish(sql: Sql, topic: string, message: string): Promise<void>
  close(): Promise<void>
}

const channel = 'landbridge'
/** How this connection shows itself in pg_stat_activity. */
export const listenerApplicationName = 'landbridge live'
/** A connection that died without a word (a pulled cable, a vanished balancer) is noticed by this. */
const beatMilliseconds = 5_000
const againMilliseconds = 200
/** Postgres refuses 8,000 bytes and more. */
export const maxMessageBytes = 7_800

export function createNotifications(pool: Pool, log: Logger): Notifications {
  const topics = new Map<string, Set<(message: string) => void>>()
  const gapListeners = new Set<() => void>()
  const closing = new AbortController()
  let connection: Connection | undefined
  let listening: Promise<void> | undefined
  let firstHeard = () => {}
  let heardBefore = false

  function onNotification({ payload = '' }: { payload?: string | undefined }): void {
    const space = payload.indexOf(' ')
    for (const heard of topics.get(payload.slice(0, space)) ?? []) heard(payload.slice(space + 1))
  }

  async function keepListening(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await listenUntilLost()
      } catch (error) {
        if (!closing.signal.aborted) log.warn({ err: error }, 'live: connection lost, connecting again')
      }
      await sleep(againMilliseconds, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  async function listenUntilLost(): Promise<void> {
    // The same database as the pool's, whichever host that is by now.
    const opened = await pool.connect({ applicationName: listenerApplicationName })
    connection = opened
    const gone = new Promise<void>((resolve) => opened.onLost(resolve))
    opened.client.on('notification', onNotification)
    try {
      await opened.run({ text: `listen ${channel}`, name: undefined, values: [] })
      if (heardBefore) for (const readAgain of gapListeners) readAgain()
      heardBefore = true
      firstHeard()
      while (!closing.signal.aborted) {
        await Promise.race([gone, sleep(beatMilliseconds, undefined, { signal: closing.signal, ref: false })])
        await Promise.race([
          opened.run({ text: 'select 1', name: undefined, values: [] }),
          sleep(beatMilliseconds, 0, { ref: false }).then(fail),
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
        firstHeard = resolve
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

function fail(): never {
  throw new Error('the connection was lost')
}
