import assert from 'node:assert/strict'
import { it } from 'node:test'
import { connectionsOfAll, connectionsPerProcess } from './pool-sizes.ts'

it('connections per process shrink as processes grow, so that all of them fit', () => {
  const perProcess = [1, 2, 3, 4, 5, 15, 64].map(connectionsPerProcess)
  assert.deepEqual(perProcess, [25, 25, 19, 15, 14, 14, 14])
  // With the one process more of a reload, and some for the command line.
  assert.deepEqual([1, 2, 15].map(connectionsOfAll), [45, 95, 244])
})
