import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pino from 'pino'
import { createDatabase } from '../../../../test/support/harness.ts'
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

/** The next words on a topic, one promise at a time. */
async function ear(live: typeof here, topic: string) {
  const heard: string[] = []
  let wake = () => {}
  await live.subscribe(topic, (message) => {
    heard.push(message)
    wake()
  })
  return async () => {
    while (heard.length === 0) {
      await new Promise<void>((resolve, reject) => {
        wake = resolve
        setTimeout(() => reject(new Error('nothing was heard')), 30_000).unref()
      })
    }
    return heard.shift()
  }
}

describe('design 3: word between processes', () => {
  it('is heard on every process, the teller included, and only by those who hear its topic', async () => {
    const [a, b, other] = await Promise.all([ear(here, 'news'), ear(there, 'news'), ear(there, 'weather')])
    await here.publish(sql, 'news', ['one', 'two'])
    assert.deepEqual([await a(), await a()], ['one', 'two'])
    assert.deepEqual([await b(), await b()], ['one', 'two'])
    await here.publish(sql, 'weather', ['rain'])
    assert.equal(await other(), 'rain')
  })

  it('many items are packed into few payloads that Postgres accepts, and all of them arrive', async () => {
    const items = Array.from({ length: 1_000 }, (_, n) => `${n}-`.padEnd(36, 'ä'))
    const payloads = packItems('many', items)
    assert.ok(payloads.every((payload) => Buffer.byteLength(payload) < 8_000))
    assert.ok(payloads.length < 12, String(payloads.length))
    const next = await ear(there, 'many')
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

  it('told in a transaction goes out with its commit, or not at all', async () => {
    const heard = await ear(there, 'deeds')
    await transaction(sql, async (tx) => {
      await here.publish(tx, 'deeds', ['undone'])
      throw new Error('undo')
    }).catch(() => {})
    await transaction(sql, async (tx) => here.publish(tx, 'deeds', ['done']))
    assert.equal(await heard(), 'done')
  })

  it('a lost connection comes back by itself, and says that word may have been missed', async () => {
    const heard = await ear(there, 'again')
    const gap = new Promise<void>((resolve) => there.afterGap(resolve))
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = ${listenerApplicationName}`
    await gap
    await here.publish(sql, 'again', ['back'])
    assert.equal(await heard(), 'back')
  })
})
