import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type BucketMove, emptyOut, evenOut, type Owned, takeTo } from './bucket-moves.ts'

/** Cells with so many buckets each, numbered one after the other. */
function owning(counts: Record<string, number>): Owned {
  let next = 0
  return new Map(
    Object.entries(counts).map(([cell, count]) => [cell, Array.from({ length: count }, () => next++)] as const),
  )
}

function after(owned: Owned, moves: BucketMove[]): Record<string, number> {
  const counts = new Map([...owned].map(([cell, { length }]) => [cell, length]))
  for (const { bucket, from, to } of moves) {
    assert.ok(owned.get(from)!.includes(bucket), `${bucket} was not in ${from}`)
    counts.set(from, counts.get(from)! - 1)
    counts.set(to, (counts.get(to) ?? 0) + 1)
  }
  assert.equal(new Set(moves.map(({ bucket }) => bucket)).size, moves.length)
  return Object.fromEntries(counts)
}

describe('decision 3.18: buckets are moved from cell to cell', () => {
  for (const [counts, cells, moved, expected] of [
    [{ a: 1024 }, ['a'], 0, { a: 1024 }],
    [{ a: 1024 }, ['a', 'b'], 512, { a: 512, b: 512 }],
    [{ a: 512, b: 512 }, ['a', 'b', 'c'], 341, { a: 342, b: 341, c: 341 }],
    [{ a: 342, b: 341, c: 341 }, ['a', 'b', 'c'], 0, { a: 342, b: 341, c: 341 }],
    [{ a: 341, b: 342, c: 341 }, ['a', 'b', 'c'], 0, { a: 341, b: 342, c: 341 }],
    [{ a: 1000, b: 24 }, ['b'], 1000, { a: 0, b: 1024 }],
    [{ a: 1, b: 1022, c: 1 }, ['a', 'b', 'c'], 680, { a: 341, b: 342, c: 341 }],
  ] as const) {
    it(`even: ${JSON.stringify(counts)} over ${cells} takes ${moved} moves, and no move more`, () => {
      const owned = owning(counts)
      const moves = evenOut(owned, cells)
      assert.equal(moves.length, moved)
      assert.deepEqual(after(owned, moves), expected)
    })
  }

  it('of cells with as many, the first by name keeps the one more, wherever it is listed', () => {
    const owned = owning({ b: 3, a: 3, c: 0, d: 1 })
    const moves = evenOut(owned, ['d', 'c', 'b', 'a'])
    assert.deepEqual(after(owned, moves), { b: 2, a: 2, c: 1, d: 2 }, JSON.stringify(moves))
    const five = owning({ b: 2, a: 2, c: 1 })
    assert.deepEqual(after(five, evenOut(five, ['b', 'a'])), { b: 2, a: 3, c: 0 })
  })

  it('a cell without buckets can be drained, filled and taken from', () => {
    const owned = owning({ a: 2 })
    assert.deepEqual(emptyOut(owned, 'none', ['a']), [])
    assert.deepEqual(after(owned, emptyOut(owned, 'a', ['x', 'y'])), { a: 0, x: 1, y: 1 })
    assert.deepEqual(emptyOut(owning({ a: 1 }), 'a', ['x', 'y']), [{ bucket: 0, from: 'a', to: 'x' }])
    assert.deepEqual(takeTo(owned, 'b', 1, ['none']), [])
    assert.deepEqual(takeTo(owning({ a: 1, c: 1 }), 'b', 1, ['a', 'c']), [{ bucket: 0, from: 'a', to: 'b' }])
    assert.deepEqual(takeTo(owned, 'a', 1, ['a']), [])
  })

  it('draining moves only the buckets of that cell, to whichever has the fewest', () => {
    const owned = owning({ a: 10, b: 3, c: 7 })
    const moves = emptyOut(owned, 'a', ['b', 'c'])
    assert.deepEqual(after(owned, moves), { a: 0, b: 10, c: 10 })
  })

  it('neighbours stay together, so that cells share few shards', () => {
    /** In order of shards, of four buckets each. */
    const owned = new Map([['a', [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]]])
    const shardsOf = (moves: BucketMove[], cell: string) =>
      [...new Set(moves.filter(({ to }) => to === cell).map(({ bucket }) => bucket % 4))].join()
    assert.equal(shardsOf(evenOut(owned, ['a', 'b']), 'b'), '2,3')
    const drained = emptyOut(owned, 'a', ['b', 'c'])
    assert.deepEqual([shardsOf(drained, 'b'), shardsOf(drained, 'c')], ['0,1', '2,3'])
    assert.equal(shardsOf(takeTo(owned, 'b', 4, ['a']), 'b'), '3')
  })

  it('some to one cell: from those that have the most, or from one, and no more than there are', () => {
    const owned = owning({ a: 5, b: 3, c: 0 })
    assert.deepEqual(after(owned, takeTo(owned, 'c', 4, ['a', 'b', 'c'])), { a: 2, b: 2, c: 4 })
    assert.deepEqual(after(owned, takeTo(owned, 'c', 2, ['b'])), { a: 5, b: 1, c: 2 })
    assert.equal(takeTo(owned, 'c', 9, ['b']).length, 3)
    assert.deepEqual(takeTo(owned, 'c', 9, ['c']), [])
  })
})
