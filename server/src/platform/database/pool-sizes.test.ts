import assert from 'node:assert/strict'
import { it } from 'node:test'
import { connectionsOfAll, defaultConnections, poolSizes } from './pool-sizes.ts'

it('decision 9.19: eight connections, one of them to listen on; each pool has its own least', () => {
  for (const connections of [defaultConnections, 12, 25]) {
    const { budget, ...pools } = poolSizes(connections)
    const least = Object.values(pools).reduce((sum, pool) => sum + pool.least, 0)
    assert.equal(budget, connections - 1)
    assert.ok(least < budget, `${least} of ${budget}`)
    assert.ok(Object.values(pools).every(({ least, max }) => least >= 1 && max >= least && max <= budget))
  }
  const distributed = poolSizes(defaultConnections, { distributed: true })
  assert.deepEqual(distributed.ingest, { least: 2, max: 2 })
  assert.deepEqual(distributed.work, { least: 2, max: 2 })
  // With the one process more of a reload, and some for the command line.
  assert.deepEqual(
    [1, 2, 15].map((processes) => connectionsOfAll(processes, defaultConnections)),
    [28, 44, 148],
  )
})

it('decision 9.19: what is left over goes to the pool that needs it first', () => {
  const of = (least: number, max: number) => ({ least, max })
  assert.deepEqual(poolSizes(8), {
    budget: 7,
    ...{ work: of(2, 3), hot: of(1, 2), ingest: of(1, 2), reads: of(1, 2), jobs: of(1, 1) },
  })
  assert.deepEqual(poolSizes(12), {
    budget: 11,
    ...{ work: of(2, 7), hot: of(1, 6), ingest: of(1, 2), reads: of(1, 6), jobs: of(1, 1) },
  })
  assert.deepEqual(poolSizes(12, { distributed: true }), {
    budget: 11,
    ...{ work: of(2, 6), hot: of(1, 5), ingest: of(2, 6), reads: of(1, 5), jobs: of(1, 1) },
  })
  assert.deepEqual(poolSizes(7).ingest, of(1, 1), 'nothing is left over')
})
