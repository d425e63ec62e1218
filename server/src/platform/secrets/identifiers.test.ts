import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isId, newId } from './identifiers.ts'

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
})
