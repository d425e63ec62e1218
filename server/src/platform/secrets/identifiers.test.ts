import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isId, newId, numberedId, smallestIdOf } from './identifiers.ts'

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

  it('RFC 9562, 6.2: ids of one millisecond are counted, and more than 4,096 use the next', async (t) => {
    // A copy with a count of its own, which other tests do not see.
    const { newId: count } = (await import(`${new URL('./identifiers.ts', import.meta.url).href}?counted`)) as {
      newId: typeof newId
    }
    const now = Date.parse('2026-03-01T12:00:00.000Z')
    t.mock.timers.enable({ apis: ['Date'], now })
    const [time, later] = [now, now + 1].map((at) => at.toString(16).padStart(12, '0'))
    const start = (hex: string, number: string) => `${hex.slice(0, 8)}-${hex.slice(8)}-7${number}`
    const ids = Array.from({ length: 4_098 }, () => count().slice(0, 18))
    const found = [0, 1, 255, 4_095, 4_096, 4_097].map((index) => ids[index])
    const expected = ['000', '001', '0ff', 'fff'].map((number) => start(time!, number))
    assert.deepEqual(found, [...expected, start(later!, '000'), start(later!, '001')])
    t.mock.timers.setTime(now + 5)
    assert.equal(count().slice(0, 18), start((now + 5).toString(16).padStart(12, '0'), '000'))
    t.mock.timers.setTime(now)
    assert.equal(
      count().slice(0, 18),
      start((now + 5).toString(16).padStart(12, '0'), '001'),
      'a clock that is set back',
    )
    t.mock.timers.reset()
  })

  it('what is random differs', () => {
    const at = new Date('2026-03-01T12:00:00.000Z')
    const ends = Array.from({ length: 200 }, () => numberedId(at, 7).slice(24))
    assert.equal(new Set(ends).size, 200)
    assert.deepEqual([...new Set(ends.map((end) => Number.parseInt(end.slice(0, 2), 16) >> 3))], [7])
    assert.equal(new Set(ends.map((end) => Number.parseInt(end.slice(0, 2), 16) & 7)).size, 8, 'three bits of it too')
  })

  it('the smallest id of an instant', () => {
    const at = Date.parse('2026-03-01T12:00:00.000Z')
    assert.equal(smallestIdOf(at), '019ca945-0a00-0000-0000-000000000000')
    assert.ok(
      smallestIdOf(at) < numberedId(new Date(at), 0) && numberedId(new Date(at - 1), 2 ** 31 - 1) < smallestIdOf(at),
    )
    assert.equal(smallestIdOf(-5), '00000000-0000-0000-0000-000000000000')
    assert.equal(smallestIdOf(0), '00000000-0000-0000-0000-000000000000')
    assert.equal(smallestIdOf(1), '00000000-0001-0000-0000-000000000000')
    assert.equal(smallestIdOf(2 ** 48 - 1), 'ffffffff-ffff-0000-0000-000000000000')
    assert.equal(smallestIdOf(2 ** 50), 'ffffffff-ffff-0000-0000-000000000000')
  })

  it('only a whole UUID is an id, in either case', () => {
    const id = '01932d5c-3b6f-7a3e-9f31-2b8c4d5e6f70'
    assert.deepEqual([id, id.toUpperCase()].map(isId), [true, true])
    for (const text of ['', `0${id}`, `${id}0`, ` ${id}`, id.slice(1), id.replaceAll('-', ''), id.replace('0', 'g')])
      assert.equal(isId(text), false, text)
  })
})
