import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judgeLines, linesTried, type Verdict } from './claim-verdicts.ts'

describe('decision 7.31: what is done with each line', () => {
  const unclaimed = { id: '1', customer_id: null }
  const mine = { id: '2', customer_id: 'me' }
  const theirs = { id: '3', customer_id: 'them' }
  const line = (identity: string, found: typeof mine | typeof unclaimed | undefined, inOwnSpace = true) => {
    return { identity, found, inOwnSpace }
  }
  const cases: [string, Parameters<typeof judgeLines>[0], Verdict[]][] = [
    ['an unclaimed device is claimed', [line('a', unclaimed)], ['claim']],
    ['a device of the customer is already theirs', [line('a', mine)], ['already_yours']],
    ['a device of another customer fails', [line('a', theirs)], ['fail']],
    ['an unknown device fails', [line('a', undefined)], ['fail']],
    [
      'the space is judged first, whatever the device is',
      [line('a', unclaimed, false), line('b', undefined, false), line('c', mine, false), line('a', unclaimed)],
      ['unknown_space', 'unknown_space', 'unknown_space', 'claim'],
    ],
    [
      'a line that comes again is judged with the first',
      [line('a', undefined), line('b', unclaimed), line('a', undefined), line('b', unclaimed)],
      ['fail', 'claim', 'repeat', 'repeat'],
    ],
  ]
  for (const [title, lines, expected] of cases) {
    it(title, () => assert.deepEqual(judgeLines(lines, 'me'), expected))
  }
})

describe('decision 7.32: how far a list is tried', () => {
  const cases: [verdicts: Verdict[], attempts: number, tried: number][] = [
    [['claim', 'claim'], 0, 0],
    [['claim', 'claim'], 1, 2],
    [['claim', 'fail', 'claim'], 1, 2],
    [['claim', 'fail', 'claim'], 2, 3],
    [['fail', 'fail', 'claim', 'fail'], 2, 2],
    [['fail', 'already_yours', 'repeat', 'fail', 'claim'], 2, 4],
    [['fail', 'repeat', 'repeat', 'claim'], 2, 4],
    [['claim', 'fail'], 1, 2],
  ]
  for (const [verdicts, attempts, tried] of cases) {
    it(`${verdicts.join(', ')} with ${attempts} → ${tried}`, () => {
      const lines = verdicts.map((verdict) => ({ verdict }))
      assert.equal(linesTried(lines, attempts), tried)
    })
  }
})
