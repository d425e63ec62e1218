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
