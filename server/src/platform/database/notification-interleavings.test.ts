// As platform/interleavings.test.ts: fast-check's scheduler decides in which order concurrent steps go on, and here also
// when the connection to Postgres is lost.
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import pino from 'pino'
import { createNotifications, type Notifications } from './notifications.ts'
import type { Pool, Sql } from './sql.ts'

/** LISTEN and NOTIFY of a Postgres whose connections can be lost at any step; statements of one connection keep their order. */
function fakePostgres(scheduler: fc.Scheduler) {
  const sessions = new Set<Session>()

  class Session {
    readonly client = new EventEmitter()
    readonly channels = new Set<string>()
    #before: Promise<void> = Promise.resolve()
    #lost = Promise.withResolvers<never>()

    constructor() {
      this.#lost.promise.catch(() => {})
      sessions.add(this)
    }

    onLost(react: () => void): void {
      this.#lost.promise.catch(react)
    }

    run({ text }: { text: string }): Promise<void> {
      const before = this.#before
      this.#before = (async () => {
        await before
        await scheduler.schedule(Promise.resolve(), text)
        for (const [, verb, channel] of text.matchAll(/(listen|unlisten) "([^"]+)"/g)) {
          if (verb === 'listen') this.channels.add(channel!)
          else this.channels.delete(channel!)
        }
      })()
      return Promise.race([this.#before, this.#lost.promise])
    }

    destroy(): void {
      sessions.delete(this)
      this.#lost.reject(new Error('lost'))
    }
  }

  const notify = async (_: TemplateStringsArray, channel: string, payloads: string[]) => {
    await scheduler.schedule(Promise.resolve(), `notify ${payloads.join()}`)
    for (const session of [...sessions].filter(({ channels }) => channels.has(channel)))
      for (const payload of payloads) session.client.emit('notification', { channel, payload })
  }
  const connect = async () => {
    await scheduler.schedule(Promise.resolve(), 'connect')
    return new Session()
  }
  return {
    pool: { connect, onWake() {} } as unknown as Pool,
    sql: notify as unknown as Sql,
    lose() {
      for (const session of sessions) session.destroy()
    },
  }
}

/** Knows what it was told, and all that is stored once it reads again. */
async function subscriber(live: Notifications, topic: string, stored: Set<string>) {
  const told: string[] = []
  const known = new Set<string>()
  let open = true
  const endGap = live.afterGap(() => {
    for (const item of stored) known.add(item)
  })
  const unsubscribe = await live.subscribe(topic, (item) => {
    assert.ok(open, 'told after it had left')
    told.push(item)
    known.add(item)
  })
  return {
    told,
    known,
    leave() {
      open = false
      unsubscribe()
      endGap()
    },
  }
}

type Step = { kind: 'publish' | 'subscribe' | 'leave'; topic: string } | { kind: 'lose' }

/** Runs all that is scheduled, and what follows from it after the pause before a new connection. */
async function settle(scheduler: fc.Scheduler, over: Promise<unknown>): Promise<void> {
  const deadline = performance.now() + 20_000
  let isOver = false
  void over.then(
    () => (isOver = true),
    () => (isOver = true),
  )
  while (!isOver || scheduler.count() > 0) {
    assert.ok(performance.now() < deadline, 'somebody waits for ever')
    if (scheduler.count() > 0) await scheduler.waitOne()
    else await sleep(5)
  }
  await over
}

describe('every interleaving of notifications', () => {
  const topic = fc.constantFrom('news', 'weather')
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('publish', 'subscribe', 'leave'), topic }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose') }) },
  )

  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.array(step, { minLength: 1, maxLength: 16 }),
    async (scheduler, steps) => {
      const { pool, sql, lose } = fakePostgres(scheduler)
      const live = createNotifications(pool, pino({ level: 'silent' }))
      const stored: Record<string, Set<string>> = { news: new Set(), weather: new Set() }
      const present: { topic: string; since: number; one: Awaited<ReturnType<typeof subscriber>> }[] = []
      let number = 0
      const publish = async (topic: string) => {
        number += 1
        // Stored before it is notified of, as by one commit.
        stored[topic]!.add(String(number))
        await live.publish(sql, topic, [String(number)])
      }
      const takeStep = async (each: Step) => {
        await scheduler.schedule(Promise.resolve(), each.kind)
        if (each.kind === 'lose') return lose()
        const { kind, topic } = each
        if (kind === 'publish') await publish(topic)
        else if (kind === 'subscribe') {
          const one = await subscriber(live, topic, stored[topic]!)
          present.push({ topic, one, since: number })
        } else present.shift()?.one.leave()
      }
      try {
        await settle(scheduler, Promise.all(steps.map(takeStep)))
        if (present.length > 0) await settle(scheduler, live.listening())
        await settle(scheduler, Promise.all([publish('news'), publish('weather')]))
        // A connection that was lost just before: who missed an item reads again on the next one.
        if (present.length > 0) await settle(scheduler, live.listening())
        for (const { topic, since, one } of present) {
          assert.equal(new Set(one.told).size, one.told.length, 'told twice')
          assert.ok(
            one.told.every((item) => stored[topic]!.has(item)),
            'notified of another topic',
          )
          const missed = [...stored[topic]!].filter((item) => Number(item) > since && !one.known.has(item))
          assert.deepEqual(missed, [], 'never notified')
        }
      } finally {
        await live.close()
      }
    },
  )

  it('a subscriber knows everything that was published since, is told each item at most once, and nothing once it left', async () => {
    // Side by side: they mostly wait for the pause before a new connection.
    await Promise.all(Array.from({ length: 10 }, () => fc.assert(property, { numRuns: 20 })))
  })
})
