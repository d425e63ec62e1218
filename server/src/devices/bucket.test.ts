import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bucketCount, bucketOf } from './bucket.ts'

describe('bucketOf', () => {
  it('depends on the last three digits only, in either case', () => {
    assert.equal(bucketOf('01900000-0000-7000-8000-000000000000'), 0)
    assert.equal(bucketOf('01900000-0000-7000-8000-0000000003ff'), 1_023)
    assert.equal(bucketOf('01900000-0000-7000-8000-000000000FFE'), 1_022)
  })

  it('spreads devices evenly', () => {
    const counts = new Array<number>(bucketCount).fill(0)
    for (let device = 0; device < 4_096; device += 1) {
      counts[bucketOf(`01900000-0000-7000-8000-${device.toString(16).padStart(12, '0')}`)]! += 1
    }
    assert.deepEqual(new Set(counts), new Set([4]))
  })
})
