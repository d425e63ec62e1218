import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { coalesce } from './coalesce.ts'
import { transactions } from './nested-statements.ts'

/** Runs that the test finishes itself. */
function held() {
  const runs: { items: number[]; finish(): void; fail(error: Error): void }[] = []
  const run = (items: number[]) =>
    new Promise<number[]>((resolve, reject) => {
      runs.push({ items, finish: () => resolve(items.map((item) => item * 10)), fail: reject })
    })
  return { runs, run }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('decision 9.1: coalesce', () => {
  it('a single call runs at once', async () => {
    const { runs, run } = held()
    const call = coalesce(run)
    const result = call(1)
    await turn()
    assert.deepEqual(
      runs.map(({ items }) => items),
      [[1]],
    )
    runs[0]!.finish()
    assert.equal(await result, 10)
  })

  it('calls of one tick share a run, and each gets its own result', async () => {
    const { runs, run } = held()
    const call = coalesce(run)
    const results = Promise.all([call(3), call(1), call(2)])
    await turn()
    assert.deepEqual(runs[0]!.items, [3, 1, 2])
    runs[0]!.finish()
    assert.deepEqual(await results, [30, 10, 20])
  })

  it('calls gather while as many runs as may are under way, and run together when one returns', async () => {
    const { runs, run } = held()
    const call = coalesce(run)
    const first = call(1)
    await turn()
    const later = Promise.all([call(2), call(3)])
    await turn()
    assert.equal(runs.length, 1)
    assert.equal(call.waiting(), 2)
    runs[0]!.finish()
    await first
    await turn()
    assert.deepEqual(runs[1]!.items, [2, 3])
    assert.equal(call.waiting(), 0)
    runs[1]!.finish()
    assert.deepEqual(await later, [20, 30])
  })

  it('two at once are two runs under way, never three', async () => {
    const { runs, run } = held()
    const call = coalesce(run, { atOnce: 2 })
    const results: Promise<number>[] = []
    for (const item of [1, 2, 3]) {
      results.push(call(item))
      await turn()
    }
    assert.equal(runs.length, 2)
    runs[1]!.finish()
    await results[1]
    await turn()
    assert.deepEqual(runs[2]!.items, [3])
    runs[0]!.finish()
    runs[2]!.finish()
    assert.deepEqual(await Promise.all(results), [10, 20, 30])
  })

  it('a run takes at most `max` items, and the order of arrival is kept', async () => {
    const { runs, run } = held()
    const call = coalesce(run, { max: 2 })
    const results = Promise.all([1, 2, 3, 4, 5].map(call))
    for (let n = 0; n < 3; n += 1) {
      await turn()
      assert.equal(runs.length, n + 1, 'one at a time')
      runs[n]!.finish()
      await turn()
    }
    assert.deepEqual(await results, [10, 20, 30, 40, 50])
    assert.deepEqual(
      runs.map(({ items }) => items),
      [[1, 2], [3, 4], [5]],
    )
  })

  it('exactly `max` items are one run, and a thousand unless told otherwise', async () => {
    const { runs, run } = held()
    const call = coalesce(run, { max: 2 })
    const results = Promise.all([call(1), call(2)])
    await turn()
    assert.deepEqual(
      runs.map(({ items }) => items),
      [[1, 2]],
    )
    runs[0]!.finish()
    assert.deepEqual(await results, [10, 20])
    const sizes: number[] = []
    const many = coalesce(async (items: number[]) => {
      sizes.push(items.length)
      return items
    })
    await Promise.all(Array.from({ length: 1_001 }, (_, index) => many(index)))
    assert.deepEqual(sizes, [1_000, 1])
  })

  it('after a run as many may be under way as before', async () => {
    const { runs, run } = held()
    const call = coalesce(run)
    const first = call(1)
    await turn()
    runs[0]!.finish()
    await first
    for (const item of [2, 3]) {
      void call(item)
      await turn()
    }
    assert.equal(runs.length, 2)
    runs[1]!.finish()
    await turn()
    await turn()
    runs[2]!.finish()
  })

  it('after a run that failed as many may be under way as before', async () => {
    const { runs, run } = held()
    const call = coalesce(run)
    const doomed = call(1)
    await turn()
    runs[0]!.fail(new Error('away'))
    await assert.rejects(doomed, /away/)
    for (const item of [2, 3]) {
      void call(item)
      await turn()
    }
    assert.deepEqual(
      runs.map(({ items }) => items),
      [[1], [2]],
    )
    runs[1]!.finish()
    await turn()
    await turn()
    assert.deepEqual(runs[2]!.items, [3])
    runs[2]!.finish()
  })

  it('a run for a caller inside a transaction is inside it too, and none is in another caller', async () => {
    const inside = { pool: null as never, open: true, outer: undefined }
    const seen: unknown[] = []
    const call = coalesce(async (items: number[]) => {
      seen.push(transactions.getStore())
      return items
    })
    await transactions.run(inside, () => call(1))
    await Promise.all([call(2), transactions.run(inside, () => call(3))])
    await call(4)
    assert.deepEqual(seen, [inside, inside, undefined])
  })

  it('a run that fails rejects its own calls only, and the next run starts', async () => {
    const { runs, run } = held()
    const call = coalesce(run)
    const doomed = Promise.allSettled([call(1), call(2)])
    await turn()
    const next = call(3)
    runs[0]!.fail(new Error('the database is away'))
    assert.deepEqual(
      (await doomed).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    runs[1]!.finish()
    assert.equal(await next, 30)
  })

  it('a run that returns too few results is an error, not a wait without end', async () => {
    const call = coalesce(async (items: number[]) => items.slice(1))
    await assert.rejects(call(1), /1 items, 0 results/)
  })
})
