// Histories as in test/histories, on the servers that `npm test` does not start: Debian's, whose standby is promoted, and
// the private one of `npm start`.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type RunOptions, recordHistories, summaryLine } from '../histories/run.ts'
import { fuzzSeed as seed } from '../support/fuzz-seed.ts'

const runs: Record<string, Omit<RunOptions, 'seed'>> = {
  'on a primary whose standby is promoted': {
    ...{ histories: 8, processes: 2, postgres: 'standby', fault: 'promotion of the standby', faults: 0.3 },
  },
  'on a primary with a standby, with faults of every kind': { histories: 30, processes: 2, postgres: 'standby' },
  // The first three end with a replay after the grace, a minute later.
  'on the Postgres of a process of its own': { first: 1, histories: 30, processes: 1, postgres: 'own' },
}

describe('histories of concurrent calls, recorded with faults', () => {
  for (const [where, options] of Object.entries(runs)) {
    it(`${where} → they keep the contract (seed ${seed})`, async (test) => {
      const summary = await recordHistories({ first: 4, ...options, seed })
      test.diagnostic(summaryLine(summary))
      assert.equal(summary.violations.join('\n'), '')
      if (options.fault) assert.ok((summary.faults.get(options.fault) ?? 0) > 0)
    })
  }
})
