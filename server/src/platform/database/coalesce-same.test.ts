import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { coalesceSame } from './coalesce-same.ts'

describe('coalesceSame', () => {
  it('reads the same thing once for calls of the same moment, and different things in one run', async () => {
    const runs: string[][] = []
    const read = coalesceSame(
      (name: string) => name,
      async (names) => {
        runs.push(names)
        return names.map((name) => ({ name }))
      },
    )
    const [a, b, again] = await Promise.all([read('a'), read('b'), read('a')])
    assert.deepEqual(runs, [['a', 'b']])
    assert.equal(a, again)
    assert.equal(b!.name, 'b')
  })

  it('never returns what was read before the call', async () => {
    let value = 0
    let release = () => {}
    const read = coalesceSame(
      (name: string) => name,
      async (names) => {
        const seen = value
        await new Promise<void>((resolve) => {
          release = resolve
        })
        return names.map(() => seen)
      },
    )
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const early = read('x')
    await turn()
    value = 1
    const late = read('x')
    release()
    assert.equal(await early, 0)
    await turn()
    await turn()
    release()
    assert.equal(await late, 1)
  })
})
