import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, it } from 'node:test'
import { readGate } from './read-gate.ts'

function scene() {
  const gate = readGate({ atOnce: 3, ofTenant: 2, maxWaiting: 2, waitSeconds: 10 })
  const started: string[] = []
  const finish = new Map<string, () => void>()
  const read = (tenant: string, name: string, signal?: AbortSignal) =>
    gate({ tenant, signal }, async () => {
      started.push(name)
      await new Promise<void>((resolve) => finish.set(name, resolve))
      return name
    })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return { read, started, finish, turn }
}

describe('decision 9.4: reads of one tenant take turns', () => {
  it('two at once, the others in order of arrival; another tenant waits for none of them', async () => {
    const { read, started, finish, turn } = scene()
    const all = [read('a', 'a1'), read('a', 'a2'), read('a', 'a3'), read('a', 'a4'), read('b', 'b1')]
    await turn()
    assert.deepEqual(started, ['a1', 'a2', 'b1'])
    finish.get('a2')!()
    await turn()
    assert.deepEqual(started, ['a1', 'a2', 'b1', 'a3'])
    for (const name of ['a1', 'a3', 'b1']) finish.get(name)!()
    await turn()
    finish.get('a4')!()
    assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'a4', 'b1'])
  })

  it('more than may wait are refused, and a caller that leaves makes room', async () => {
    const { read, started, finish, turn } = scene()
    const leaving = new AbortController()
    const running = [read('a', 'a1'), read('a', 'a2')]
    const left = read('a', 'a3', leaving.signal)
    const waiting = read('a', 'a4')
    await assert.rejects(read('a', 'a5'), { status: 429, code: 'too_many_reads', message: /Send fewer at once/ })
    leaving.abort()
    await assert.rejects(left, { name: 'AbortError' })
    const later = read('a', 'a6')
    for (const name of ['a1', 'a2']) finish.get(name)!()
    await Promise.all(running)
    await turn()
    assert.deepEqual(started, ['a1', 'a2', 'a4', 'a6'])
    for (const name of ['a4', 'a6']) finish.get(name)!()
    assert.deepEqual(await Promise.all([waiting, later]), ['a4', 'a6'])
  })

  it('a caller that has left is not served, one that was served is listened to no more', async () => {
    const { read, finish, started, turn } = scene()
    const gone = new AbortController()
    gone.abort(new Error('left'))
    await assert.rejects(read('a', 'a1', gone.signal), /left/)
    const here = new AbortController()
    const running = read('a', 'a2', here.signal)
    await turn()
    assert.equal(getEventListeners(here.signal, 'abort').length, 0)
    finish.get('a2')!()
    assert.equal(await running, 'a2')
    assert.deepEqual(started, ['a2'])
  })

  it('after a read there is as much room as before', async () => {
    const { read, finish, started, turn } = scene()
    for (const name of ['a1', 'a2', 'a3']) {
      const done = read('a', name)
      await turn()
      finish.get(name)!()
      await done
    }
    const all = [read('a', 'a4'), read('a', 'a5'), read('a', 'a6'), read('b', 'b1'), read('b', 'b2')]
    await turn()
    assert.deepEqual(started.slice(3), ['a4', 'a5', 'b1'])
    for (const name of ['a4', 'a5', 'b1']) finish.get(name)!()
    await turn()
    for (const name of ['a6', 'b2']) finish.get(name)!()
    await Promise.all(all)
  })

  it('a read that fails gives its slot to the next', async () => {
    const gate = readGate({ atOnce: 1, ofTenant: 1, maxWaiting: 1, waitSeconds: 10 })
    const failing = gate({ tenant: 'a' }, () => Promise.reject(new Error('no')))
    const next = gate({ tenant: 'a' }, async () => 'yes')
    await assert.rejects(failing, /no/)
    assert.equal(await next, 'yes')
  })

  it('decision 10.21: tenants take turns, however many reads of one wait', async () => {
    const gate = readGate({ atOnce: 1, ofTenant: 1, maxWaiting: 10, waitSeconds: 10 })
    const order: string[] = []
    const read = (tenant: string, name: string) => gate({ tenant }, async () => void order.push(name))
    await Promise.all([...['a1', 'a2', 'a3', 'a4'].map((name) => read('a', name)), read('b', 'b1'), read('b', 'b2')])
    assert.deepEqual(order, ['a1', 'a2', 'b1', 'a3', 'b2', 'a4'])
  })

  it('decision 10.21: a read that waited too long is refused with Retry-After; a patient one waits on', async () => {
    const gate = readGate({ atOnce: 1, ofTenant: 1, maxWaiting: 10, waitSeconds: 0.05 })
    let finish = () => {}
    const hold = new Promise<void>((resolve) => {
      finish = resolve
    })
    const running = gate({ tenant: 'a' }, () => hold)
    const patient = gate({ tenant: 'a', patient: true }, async () => 'read')
    const refused = gate({ tenant: 'a' }, async () => {})
    await assert.rejects(refused, { status: 429, code: 'too_many_reads', retryAfter: 5 })
    finish()
    await running
    assert.equal(await patient, 'read')
  })
})
