import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lateGrowth, latePeakGrowth, quantile } from './growth.ts'

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

  it('of what rises and falls is that of its peaks', () => {
    // As between vacuums: the last quarter has its median in another part of the wave.
    const wave = (height: (minute: number) => number) =>
      minutes.map((minute) => height(minute) * (((minute + (minute > 30 ? 3 : 0)) % 7) / 6))
    assert.ok(Math.abs(latePeakGrowth(wave(() => 2_400))) < 0.2)
    assert.ok(latePeakGrowth(wave((minute) => 2_400 * 1.08 ** minute)) > 0.5)
    // As between collections of memory: longer than a quarter.
    const long = (height: (minute: number) => number) =>
      minutes.map((minute) => height(minute) * (1 + ((minute + 4) % 13) / 30))
    assert.ok(Math.abs(latePeakGrowth(long(() => 180))) < 0.05)
    assert.ok(latePeakGrowth(long((minute) => 180 + 4 * minute)) > 0.1)
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
