import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pino from 'pino'
import { createDatabase } from '../../../../test/support/database.ts'
import { openDatabase, transaction } from './database.ts'
import { createNotifications, listenerApplicationName, packItems } from './notifications.ts'

const url = await createDatabase()
const log = pino({ level: 'silent' })
const sql = openDatabase({ url, max: 2 })
const here = createNotifications(sql, log)
const there = createNotifications(sql, log)
after(async () => {
  await Promise.all([here.close(), there.close()])
  await sql.end({ timeout: 1 })
})

/** A function that returns the next message on a topic. */
async function subscribeTo(live: typeof here, topic: string) {
  const received: string[] = []
  let wake = () => {}
  await live.subscribe(topic, (message) => {
    received.push(message)
    wake()
  })
  return async () => {
    while (received.length === 0) {
      await new Promise<void>((resolve, reject) => {
        wake = resolve
        setTimeout(() => reject(new Error('nothing came')), 10_000).unref()
      })
    }
    return received.shift()
  }
}

describe('decision 3.5: messages between processes', () => {
  it('reach every process, the publisher included, and only the subscribers of their topic', async () => {
    const [a, b, other] = await Promise.all([
      subscribeTo(here, 'news'),
      subscribeTo(there, 'news'),
      subscribeTo(there, 'weather'),
    ])
    await here.publish(sql, 'news', ['one', 'two'])
    assert.deepEqual([await a(), await a()], ['one', 'two'])
    assert.deepEqual([await b(), await b()], ['one', 'two'])
    await here.publish(sql, 'weather', ['rain'])
    assert.equal(await other(), 'rain')
  })

  it('a topic that is subscribed to at any moment of the connecting is listened to', async (test) => {
    const late = createNotifications(sql, log)
    test.after(() => late.close())
    const subscriptions: Promise<() => Promise<string | undefined>>[] = []
    for (let turns = 0; turns < 200; turns += 1) {
      subscriptions.push(subscribeTo(late, `topic ${turns}`))
      await new Promise((resolve) => setTimeout(resolve, turns % 2))
    }
    const next = await Promise.all(subscriptions)
    for (const turns of next.keys()) await here.publish(sql, `topic ${turns}`, [String(turns)])
    assert.deepEqual(await Promise.all(next.map((received) => received())), [...next.keys()].map(String))
  })

  it('many items are packed into few payloads that Postgres accepts, and all of them arrive', async () => {
    const items = Array.from({ length: 1_000 }, (_, n) => `${n}-`.padEnd(36, 'ä'))
    const payloads = packItems(items)
    assert.ok(payloads.every((payload) => Buffer.byteLength(payload) < 8_000))
    assert.ok(payloads.length < 12, String(payloads.length))
    const next = await subscribeTo(there, 'many')
    await here.publish(sql, 'many', items)
    for (const item of items) assert.equal(await next(), item)
    await here.publish(sql, 'many', [])
  })

  it('published here reaches the subscribers of this process at once', async () => {
    const received: string[] = []
    await here.subscribe('local', () => received.push('here'))
    await there.subscribe('local', () => received.push('there'))
    here.publishHere('local')
    assert.deepEqual(received, ['here'])
  })

  it('published in a transaction are sent with its commit, or not at all', async () => {
    const next = await subscribeTo(there, 'changes')
    await transaction(sql, async (tx) => {
      await here.publish(tx, 'changes', ['undone'])
      throw new Error('undo')
    }).catch(() => {})
    await transaction(sql, async (tx) => here.publish(tx, 'changes', ['done']))
    assert.equal(await next(), 'done')
  })

  it('a lost connection is opened again, and subscribers learn that messages may have been missed', async () => {
    const next = await subscribeTo(there, 'again')
    const gap = new Promise<void>((resolve) => there.afterGap(resolve))
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = ${listenerApplicationName}`
    await gap
    await here.publish(sql, 'again', ['back'])
    assert.equal(await next(), 'back')
  })

  it('decision 3.25 a process listens to the topics it subscribes to, and to no others', async () => {
    // Its own view of what it listens to: no other session can see that.
    let own: Awaited<ReturnType<typeof sql.connect>> | undefined
    const connect: typeof sql.connect = async (options) => {
      own = await sql.connect(options)
      return own
    }
    const listener = createNotifications({ ...sql, connect } as typeof sql, log)
    const channels = async () => {
      const text = 'select channel from pg_listening_channels() as channel order by channel'
      return (await own!.run({ text, name: undefined, values: [] })).map((row) => (row as { channel: string }).channel)
    }
    listener.subscribeHere('here', () => {})
    assert.equal(own, undefined, 'no connection for what stays in the process')
    const [one, again, other] = await Promise.all(
      ['one', 'one', 'other'].map((topic) => listener.subscribe(topic, () => {})),
    )
    assert.deepEqual(await channels(), ['landbridge.one', 'landbridge.other'])
    one!()
    other!()
    assert.deepEqual(await channels(), ['landbridge.one'])
    own!.destroy()
    await new Promise<void>((resolve) => listener.afterGap(resolve))
    assert.deepEqual(await channels(), ['landbridge.one'], 'after a gap too')
    again!()
    assert.deepEqual(await channels(), [])
    await listener.close()
  })

  it('a loss is told at once, and a subscription during it resolves when this process listens again', async () => {
    let own: Awaited<ReturnType<typeof sql.connect>> | undefined
    const connect: typeof sql.connect = async (options) => {
      own = await sql.connect(options)
      return own
    }
    const listener = createNotifications({ ...sql, connect } as typeof sql, log)
    await listener.subscribe('one', () => {})
    const lost = new Promise<void>((resolve) => listener.onLoss(resolve))
    const before = own
    own!.destroy()
    await lost
    const next = await subscribeTo(listener, 'two')
    assert.notEqual(own, before)
    await here.publish(sql, 'two', ['late'])
    assert.equal(await next(), 'late')
    await listener.close()
  })

  it('an outage is logged once, and so is its end', async () => {
    const messages: string[] = []
    const stream = { write: (line: string) => void messages.push(JSON.parse(line).msg) }
    let attempts = 0
    const connect: typeof sql.connect = async (options) => {
      attempts += 1
      if (attempts <= 3) throw new Error('away')
      return await sql.connect(options)
    }
    const listener = createNotifications({ ...sql, connect } as typeof sql, pino({}, stream))
    await listener.subscribe('any', () => {})
    await listener.close()
    assert.equal(attempts, 4)
    assert.deepEqual(messages, ['live updates: connection lost, connecting again', 'live updates: connected again'])
  })
})
