import assert from 'node:assert/strict'
import { it } from 'node:test'
import { wordsOf } from './words.ts'

it('a search has up to ten words', () => {
  assert.deepEqual(wordsOf('  oslo\tground  floor '), ['oslo', 'ground', 'floor'])
  assert.deepEqual(wordsOf(' '), [])
  assert.deepEqual(wordsOf('1 2 3 4 5 6 7 8 9 10 11').length, 10)
})
