import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fuzzSeed as seed } from '../support/fuzz-seed.ts'
import { recordHistories, summaryLine } from './run.ts'

describe('histories of commands on two hub cells', () => {
  it(`devices are moved between them, and processes killed: they keep the contract (seed ${seed})`, async (test) => {
    // As many as it takes to have that fault.
    const options = {
      first: 4,
      histories: 24,
      processes: 2,
      cells: 2,
      scenarios: ['command' as const, 'fleet' as const],
    }
    const summary = await recordHistories({ ...options, seed, atOnce: 12 })
    test.diagnostic(summaryLine(summary))
    assert.equal(summary.violations.join('\n'), '')
    assert.equal(summary.undecided, 0)
    assert.ok(summary.faults.has('devices moved to another cell'))
    assert.ok(summary.redirects > 0, 'no device was sent to another cell')
  })
})
