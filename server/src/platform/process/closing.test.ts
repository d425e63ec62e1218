import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pino from 'pino'
import { Closing, watchParent } from './closing.ts'

const log = pino({ level: 'silent' })

describe('closing a process', () => {
  it('closes each step once, the last first, however often it is asked', async () => {
    const closing = new Closing(log)
    const closed: string[] = []
    for (const what of ['pool', 'jobs']) closing.add(what, async () => closed.push(what), { seconds: 1 })
    await Promise.all([closing.close(), closing.close()])
    assert.deepEqual(closed, ['jobs', 'pool'])
  })

  it('asked to stop during its start, goes no further and closes what was opened meanwhile', async () => {
    const closing = new Closing(log)
    const closed: string[] = []
    closing.add('pool', async () => closed.push('pool'), { seconds: 1 })
    await closing.close()
    assert.throws(() => closing.requireOpen(), /stopping/)
    assert.throws(() => closing.add('jobs', async () => closed.push('jobs'), { seconds: 1 }), /stopping/)
    await closing.close()
    assert.deepEqual(closed, ['pool', 'jobs'])
  })

  it('a step that fails or takes too long is logged, and the next one runs all the same', async () => {
    const logged: object[] = []
    const written = (line: string) => {
      const { level, what, seconds, msg, err } = JSON.parse(line)
      logged.push({ level, what, msg, ...(seconds && { seconds }), ...(err && { error: err.message }) })
    }
    const closing = new Closing(pino({}, { write: written }))
    const closed: string[] = []
    closing.add('last', () => closed.push('last'), { seconds: 60 })
    closing.add('slow', () => new Promise(() => {}), { seconds: 0.1 })
    closing.add('broken', () => Promise.reject(new Error('no')), { seconds: 60 })
    assert.equal(closing.begun, false)
    // What waits has no timer that would keep this process alive.
    const alive = setTimeout(() => {}, 10_000)
    const began = performance.now()
    await closing.close()
    clearTimeout(alive)
    assert.ok(performance.now() - began >= 90, 'the slow one has its time')
    assert.equal(closing.begun, true)
    assert.deepEqual(closed, ['last'])
    assert.deepEqual(logged, [
      { level: 50, what: 'broken', msg: 'did not close', error: 'no' },
      { level: 40, what: 'slow', msg: 'did not close in time', seconds: 0.1 },
    ])
  })

  it('asked twice, the second waits for the first', async () => {
    const closing = new Closing(log)
    const { promise, resolve } = Promise.withResolvers<void>()
    closing.add('slow', () => promise, { seconds: 60 })
    let done = 0
    const both = [closing.close(), closing.close()].map((closed) => closed.then(() => (done += 1)))
    await new Promise((next) => setImmediate(next))
    assert.equal(done, 0)
    resolve()
    await Promise.all(both)
    assert.equal(done, 2)
  })

  it('a process that npm started and that lost its parent is told once, within a quarter of a second', (t) => {
    const parent = Object.getOwnPropertyDescriptor(process, 'ppid')!
    t.mock.timers.enable({ apis: ['setInterval'] })
    let gone = 0
    try {
      watchParent(() => {
        gone += 1
      })
      t.mock.timers.tick(250)
      assert.equal(gone, 0)
      Object.defineProperty(process, 'ppid', { value: 1_234_567, configurable: true })
      t.mock.timers.tick(249)
      assert.equal(gone, 0)
      t.mock.timers.tick(1)
      assert.equal(gone, 1)
      t.mock.timers.tick(1_000)
      assert.equal(gone, 1)
    } finally {
      Object.defineProperty(process, 'ppid', parent)
      t.mock.timers.reset()
    }
  })
})
