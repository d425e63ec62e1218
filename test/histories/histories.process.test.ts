import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fuzzSeed as seed } from '../support/fuzz-seed.ts'
import { check } from './checker/check.ts'
import type { History } from './checker/history.ts'
import { plantedFaults } from './checker/planted.ts'
import { plantedCommandFaults } from './checker/planted-commands.ts'
import { recordHistories, summaryLine } from './run.ts'

/** `npm run check:histories` records 10,000. */
const count = Number(process.env.LANDBRIDGE_HISTORIES ?? 100)

describe('histories of concurrent calls, recorded with faults', async () => {
  const recorded: History[] = []

  it(`${count} on two processes keep the contract (seed ${seed})`, async (test) => {
    const onHistory = (history: History) => recorded.push(history)
    // The first three take a minute each, and are recorded with test/system.
    const summary = await recordHistories({ histories: count, first: 4, seed, processes: 2, atOnce: 16, onHistory })
    test.diagnostic(summaryLine(summary))
    assert.equal(summary.violations.join('\n'), '')
    assert.equal(summary.undecided, 0)
    assert.ok(summary.unknown > 0, 'without an unknown outcome the faults proved nothing')
  })

  for (const [name, { plant, rule }] of Object.entries({ ...plantedFaults, ...plantedCommandFaults })) {
    it(`${name}, planted into those → found each time`, () => {
      const planted = recorded.flatMap((history) => plant(history) ?? [])
      assert.ok(planted.length > 0, 'no history has a place for it')
      const found = planted.map((history) => {
        const rules = check(history).violations.map((violation) => violation.rule)
        assert.ok(rules.length > 0, `${history.name}: nothing is found`)
        return rules
      })
      // Where it breaks another rule as well, only the first is told.
      assert.ok(
        found.flat().some((each) => rule.test(each)),
        [...new Set(found.flat())].join(', '),
      )
    })
  }
})
