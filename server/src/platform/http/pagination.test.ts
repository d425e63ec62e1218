import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import { newestFirst, PageOf, PageQuery, pageRange, toPage } from './pagination.ts'

const id = '01932d5c-3b6f-7a3e-9f31-2b8c4d5e6f70'
const idOf = (item: string) => item

describe('decision 8.1: pages', () => {
  it('have 50 items unless asked otherwise, and 100 at most', () => {
    const {
      minimum,
      maximum,
      default: usual,
    } = PageQuery.limit as { minimum?: number; maximum?: number; default?: number }
    assert.deepEqual([minimum, maximum, usual], [1, 100, 50])
  })

  it('one row more than a page has says whether there is another', () => {
    assert.deepEqual(pageRange({}), { after: '00000000-0000-0000-0000-000000000000', limit: 51 })
    assert.deepEqual(newestFirst({ limit: 2 }), { after: 'ffffffff-ffff-ffff-ffff-ffffffffffff', limit: 3 })
    assert.deepEqual(pageRange({ after: id, limit: 100 }), { after: id, limit: 101 })
    const range = pageRange({ limit: 2 })
    assert.deepEqual(toPage(['a', 'b', 'c'], range, idOf), { items: ['a', 'b'], next: 'b' })
    assert.deepEqual(toPage(['a', 'b'], range, idOf), { items: ['a', 'b'], next: null })
    assert.deepEqual(toPage([], range, idOf), { items: [], next: null })
  })

  it('a cursor that is none is refused', () => {
    const refusal = { status: 422, message: 'after must be the `next` of a previous page.' }
    assert.throws(() => pageRange({ after: '1' }), refusal)
    assert.throws(() => newestFirst({ after: `${id}0` }), refusal)
  })

  it('the page of a named schema has a name', () => {
    const { title, required } = PageOf(Type.String({ title: 'Device' })) as { title?: string; required?: string[] }
    assert.deepEqual([title, required], ['DeviceList', ['items', 'next']])
    assert.equal('title' in PageOf(Type.String()), false)
  })
})
