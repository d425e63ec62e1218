import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readSortCursor, sortedPage } from './sort-cursor.ts'

const [first, second] = ['01932d5c-3b6f-7a3e-9f31-2b8c4d5e6f70', '01932d5c-3b6f-7a3e-9f31-2b8c4d5e6f71']
const rows = [
  { key: 'ann', id: first, name: 'Ann' },
  { key: 'bea', id: second, name: 'Bea' },
]
const cursor = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')

describe('decision 8.1: pages in an order other than that of ids', () => {
  it('the next page begins after the last row, in the same order', () => {
    const page = sortedPage(rows, 1, 'name')
    assert.deepEqual(page.items, [{ id: first, name: 'Ann' }])
    assert.deepEqual(readSortCursor(page.next!, 'name'), { key: 'ann', id: first })
  })

  it('the last page has no next', () => {
    assert.deepEqual(sortedPage(rows, 2, 'name').next, null)
    assert.deepEqual(sortedPage([], 2, 'name'), { items: [], next: null })
    assert.equal(readSortCursor(undefined, 'name'), null)
  })

  for (const [title, after] of [
    ['of another order', cursor('email', 'ann', first)],
    ['without a key', cursor('name', null, first)],
    ['with U+0000, which Postgres refuses', cursor('name', 'a\0', first)],
    ['without an id', cursor('name', 'ann')],
    ['with an id that is none', cursor('name', 'ann', '1')],
    ['that is no list', Buffer.from('{}').toString('base64url')],
    ['that is no JSON', 'x'],
    ['that is empty', ''],
  ] as const) {
    it(`a cursor ${title} is refused`, () => {
      const message = 'after must be the `next` of a previous page with the same `sort`.'
      assert.throws(() => readSortCursor(after, 'name'), { status: 422, message })
    })
  }
})
