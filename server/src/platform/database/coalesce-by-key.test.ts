import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { coalesceByKey } from './coalesce-by-key.ts'

describe('calls that run together by a key', () => {
  it('those of a key share runs; those of another neither share them nor wait for them', async () => {
    const runs: string[][] = []
    const slow = Promise.withResolvers<void>()
    const call = coalesceByKey(
      (item: string) => item[0]!,
      async (items) => {
        runs.push(items)
        if (items[0]!.startsWith('a')) await slow.promise
        return items.map((item) => item.toUpperCase())
      },
    )
    const first = call('a1')
    const others = [call('a2'), call('b1'), call('b2')]
    assert.deepEqual(await Promise.all(others.slice(1)), ['B1', 'B2'])
    const last = call('a3')
    slow.resolve()
    assert.deepEqual(await Promise.all([first, others[0], last]), ['A1', 'A2', 'A3'])
    assert.deepEqual(runs, [['a1', 'a2'], ['b1', 'b2'], ['a3']])
  })

  it('a run that fails fails its key only, and the next call runs', async () => {
    let failing = true
    const call = coalesceByKey(
      (item: string) => item[0]!,
      async (items) => {
        if (failing && items[0]!.startsWith('a')) throw new Error('refused')
        return items
      },
    )
    const [a, b] = await Promise.allSettled([call('a1'), call('b1')])
    assert.deepEqual([a!.status, b!.status], ['rejected', 'fulfilled'])
    failing = false
    assert.equal(await call('a2'), 'a2')
  })
})
