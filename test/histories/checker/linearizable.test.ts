import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fuzzSeed } from '../../support/fuzz-seed.ts'
import { linearize, type Model, shortest } from './linearizable.ts'

interface Op {
  name: string
  invoked: number
  returned: number | null
}

/** A register: `w1` writes 1, `r1` reads 1. */
const register: Model<number, Op> = {
  initial: 0,
  step(state, { name }) {
    const value = Number(name.slice(1))
    return name[0] === 'w' ? [value] : value === state ? [state] : []
  },
}

const op = (name: string, invoked: number, returned: number | null): Op => ({ name, invoked, returned })

describe('Wing and Gong: is there an order?', () => {
  const legal: Record<string, Op[]> = {
    'one after the other': [op('w1', 0, 1), op('r1', 2, 3)],
    'a read during a write sees either': [op('w1', 0, 9), op('r0', 1, 2), op('r1', 3, 4)],
    'a write of unknown outcome may happen': [op('w1', 0, null), op('r0', 1, 2), op('r1', 3, 4)],
    'a write of unknown outcome may never happen': [op('w1', 0, null), op('r0', 1, 2), op('r0', 30, 40)],
    'a write of unknown outcome may happen long after': [
      op('w1', 0, null),
      op('w2', 1, 2),
      op('r2', 3, 4),
      op('r1', 90, 91),
    ],
    'two at the same time, in the other order': [op('w1', 0, 5), op('w2', 0, 5), op('r1', 6, 7)],
    nothing: [],
  }
  for (const [name, ops] of Object.entries(legal)) {
    it(`${name} → linearizable`, () => assert.equal(linearize(register, ops), 'linearizable'))
  }

  const illegal: Record<string, [Op[], string[]]> = {
    'a stale read': [
      [op('w1', 0, 1), op('r0', 2, 3)],
      ['w1', 'r0'],
    ],
    'back again': [
      [op('w1', 0, 9), op('r1', 1, 2), op('r0', 3, 4)],
      ['r1', 'r0'],
    ],
    'a value that nobody wrote': [[op('w1', 0, 1), op('r3', 2, 3), op('r1', 4, 5)], ['r3']],
    'an unknown write, seen and gone': [
      [op('w1', 0, null), op('r1', 1, 2), op('r0', 3, 4)],
      ['r1', 'r0'],
    ],
  }
  for (const [name, [ops, core]] of Object.entries(illegal)) {
    it(`${name} → not, and ${core.join(' ')} alone show it`, () => {
      assert.equal(linearize(register, ops), 'not linearizable')
      assert.deepEqual(
        shortest(register, ops).map(({ name }) => name),
        core,
      )
    })
  }

  it('to take a possible read at once changes no verdict', () => {
    const eager = { ...register, changesNothing: ({ name }: Op) => name[0] === 'r' }
    const name = fc.constantFrom('w1', 'w2', 'r0', 'r1', 'r2')
    const anyOp = fc.record({ name, invoked: fc.nat(12), takes: fc.option(fc.nat(6), { nil: null }) })
    const verdicts = new Set<string>()
    fc.assert(
      fc.property(fc.array(anyOp, { maxLength: 8 }), (all) => {
        const ops = all.map(({ name, invoked, takes }) => op(name, invoked, takes === null ? null : invoked + takes))
        const verdict = linearize(register, ops)
        verdicts.add(verdict)
        assert.equal(linearize(eager, ops), verdict)
      }),
      { numRuns: 1_000, seed: fuzzSeed },
    )
    assert.deepEqual([...verdicts].toSorted(), ['linearizable', 'not linearizable'])
  })

  it('forty calls at once are decided in a moment', () => {
    const ops = Array.from({ length: 40 }, (_, n) => op(n % 2 ? `r${n - 1}` : `w${n}`, 0, 100))
    assert.equal(linearize(register, ops), 'linearizable')
  })
})
