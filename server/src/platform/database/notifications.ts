import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Connection } from './connection.ts'
import type { Pool, Sql } from './sql.ts'

/**
 * Word between processes: LISTEN/NOTIFY on a connection of its own. Word may be lost while that connection is down, so
 * it never carries the truth: whoever hears it reads again, and after a gap everybody reads again.
 */
export interface Notifications {
  /** `onItem` is called once per published item. Resolves once this process listens; the returned function unsubscribes. */
  subscribe(topic: string, onItem: (item: string) => void): Promise<() => void>
  /** Runs whenever word may have been missed: read again whatever you follow. */
  afterGap(readAgain: () => void): () => void
  /**
   * Items without spaces, as many per NOTIFY as fit, in one statement. In a transaction they are sent with its commit.
   * Never in the transaction that stores telemetry: Postgres lets only one commit with a NOTIFY in at a time.
   */
  publish(sql: Sql, topic: string, items: readonly string[]): Promise<void>
  /** To the subscribers of this process only, without a statement. */
  publishHere(topic: string): void
  close(): Promise<void>
}

const channel = 'landbridge'
/** How this connection shows itself in pg_stat_activity. */
export const listenerApplicationName = 'landbridge live'
/** A connection that died without a word (a pulled cable, a vanished balancer) is noticed by this. */
const beatMilliseconds = 5_000
const againMilliseconds = 200
/** Postgres refuses payloads of 8,000 bytes and more. */
const maxPayloadBytes = 7_900

export function createNotifications(pool: Pool, log: Logger): Notifications {
  const topics = new Map<string, Set<(item: string) => void>>()
  const gapListeners = new Set<() => void>()
  const closing = new AbortController()
  let connection: Connection | undefined
  let listening: Promise<void> | undefined
  let firstHeard = () => {}
  let heardBefore = false

  function onNotification({ payload = '' }: { payload?: string | undefined }): void {
    const [topic = '', ...items] = payload.split(' ')
    for (const onItem of topics.get(topic) ?? []) for (const item of items) onItem(item)
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
    async subscribe(topic, onItem) {
      const listeners = topics.get(topic) ?? new Set()
      topics.set(topic, listeners.add(onItem))
      listening ??= new Promise((resolve) => {
        firstHeard = resolve
        void keepListening()
      })
      await listening
      return () => listeners.delete(onItem)
    },
    afterGap(readAgain) {
      gapListeners.add(readAgain)
      return () => gapListeners.delete(readAgain)
    },
    async publish(sql, topic, items) {
      if (items.length === 0) return
      await sql`select pg_notify(${channel}, payload) from unnest(${packItems(topic, items)}::text[]) as payload`
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

function fail(): never {
  throw new Error('the connection was lost')
}
