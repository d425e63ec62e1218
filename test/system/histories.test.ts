// Histories as in test/histories, on the servers that `npm test` does not start: Debian's, whose standby is promoted, and
// the private one of `npm start`.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type RunOptions, recordHistories, summaryLine } from '../histories/run.ts'
import { fuzzSeed as seed } from '../support/fuzz-seed.ts'

const runs: Record<string, Omit<RunOptions, 'seed'>> = {
  "on Debian's primary, whose standby is promoted": { first: 4, histories: 30, processes: 2, postgres: 'standby' },
  "of commands on Debian's primary, whose standby is promoted": {
    ...{ first: 4, histories: 30, processes: 2, postgres: 'standby', scenarios: ['command', 'fleet'] },
  },
  // The first three end with a replay after the grace, a minute later.
  'on the private one of a process': { first: 1, histories: 10, processes: 1, postgres: 'own' },
}

describe('histories of concurrent calls, recorded with faults', () => {
  for (const [where, options] of Object.entries(runs)) {
    it(`${where} → they keep the contract (seed ${seed})`, async (test) => {
      const summary = await recordHistories({ ...options, seed })
      test.diagnostic(summaryLine(summary))
      assert.equal(summary.violations.join('\n'), '')
      if (options.postgres === 'standby') assert.ok(summary.faults.has('promotion of the standby'))
    })
  }
})
