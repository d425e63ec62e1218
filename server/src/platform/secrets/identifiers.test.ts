import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isId, newId, numberedId } from './identifiers.ts'

describe('identifiers', () => {
  it('ids of one process sort in the order they were created, also within a millisecond', () => {
    const ids = Array.from({ length: 20_000 }, newId)
    assert.deepEqual(ids, ids.toSorted())
    assert.equal(new Set(ids).size, ids.length)
  })

  it('an id is a version 7 UUID of the present', () => {
    const id = newId()
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.ok(isId(id))
    const createdAt = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
    assert.ok(Math.abs(createdAt - Date.now()) < 5_000)
  })

  it('decision 7.77: numbered ids sort by instant, then by number, and are version 7 UUIDs', () => {
    const first = new Date('2026-03-01T12:00:00.000Z')
    const next = new Date(first.getTime() + 1)
    const numbers = [0, 1, 2, 31, 32, 33, 4_095, 4_096, 2 ** 19 - 1, 2 ** 19, 2 ** 19 + 1, 2 ** 31 - 2, 2 ** 31 - 1]
    const ids = [first, next].flatMap((at) => numbers.map((number) => numberedId(at, number)))
    assert.deepEqual(ids, ids.toSorted())
    for (const id of ids) {
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.notEqual(id, numberedId(first, 1))
    }
  })
})
