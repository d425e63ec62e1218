import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lateGrowth, quantile } from './growth.ts'

const minutes = Array.from({ length: 40 }, (_, minute) => minute)

describe('growth late in a run', () => {
  it('is seen where a figure rises steadily, or ever faster', () => {
    assert.ok(lateGrowth(minutes.map((minute) => 100 + 5 * minute)) > 0.15)
    assert.ok(lateGrowth(minutes.map((minute) => 100 * 1.05 ** minute)) > 0.5)
  })

  it('is none where a figure has flattened, goes up and down, or has one peak', () => {
    assert.ok(lateGrowth(minutes.map((minute) => Math.min(100 + 20 * minute, 300))) < 0.01)
    assert.ok(Math.abs(lateGrowth(minutes.map((minute) => 100 + 30 * (minute % 2)))) < 0.01)
    assert.ok(Math.abs(lateGrowth(minutes.map((minute) => (minute === 39 ? 1_000 : 100)))) < 0.01)
  })

  it('is not judged from too few figures', () => {
    assert.equal(lateGrowth([1, 2, 3]), 0)
  })

  it('is compared by the share of the slowest, too', () => {
    assert.equal(quantile(minutes, 0.99), 39)
    assert.equal(quantile(minutes, 0.5), 20)
    assert.equal(quantile([], 0.5), 0)
  })
})
