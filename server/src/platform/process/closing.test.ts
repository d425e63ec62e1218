import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pino from 'pino'
import { Closing } from './closing.ts'

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
})
