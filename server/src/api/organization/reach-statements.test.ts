// Judging what a token may do costs no statement of its own (decision 6.47).
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTenant } from '../../../../test/support/api-world.ts'
import { startCountingProxy } from '../../../../test/support/counting-proxy.ts'
import { startHarness } from '../../../../test/support/harness.ts'

const first = await startHarness()
const { sql } = first
const tenant = await createTenant(first)
const proxy = await startCountingProxy(first.databaseUrl)
const counted = await startHarness({}, { beside: { ...first, databaseUrl: proxy.url } })
const space = tenant.ids.organization.parents!
await sql`update devices set space_id = ${space} where id = ${tenant.device.id}`

const narrow = { devices: 'read', spaces: 'read', people: 'read', audit: 'none' }

async function approve(permissions: object | null, within: string[] | null): Promise<void> {
  await sql`
    update approvals set permissions = ${permissions && sql.json(permissions as never)}, within = ${within}::uuid[]
    where customer_id = ${tenant.customer_id}`
}

/** Of one read, once what is prepared once is prepared; the fewest of several, since others may use the process meanwhile. */
async function statementsOf(path: string): Promise<number> {
  const counts: number[] = []
  for (let time = 0; time < 12; time += 1) {
    const before = proxy.statements()
    const headers = tenant.credentials.organization.bearer!
    const response = await counted.app.inject({ url: `/core/v1/organization${path}`, headers })
    assert.equal(response.statusCode, 200, response.body)
    if (path.startsWith('/devices')) assert.ok(response.body.includes(tenant.device.id), response.body)
    counts.push(proxy.statements() - before)
  }
  return Math.min(...counts.slice(4))
}

/** With a whole approval, and narrowed in what it may do, in where, and in both. */
async function countAll(path: string): Promise<number[]> {
  const counts: number[] = []
  for (const [permissions, within] of [
    [null, null],
    [narrow, null],
    [null, [space]],
    [narrow, [space]],
  ]) {
    await approve(permissions as object | null, within as string[] | null)
    counts.push(await statementsOf(path))
  }
  return counts
}

describe('statements of a read with an access token', () => {
  for (const path of ['/users', '/groups', '/devices/{id}', '/spaces/{id}']) {
    it(`${path}: as many with a narrowed approval as with a whole one`, async () => {
      const counts = await countAll(path.replace('{id}', path.startsWith('/devices') ? tenant.device.id : space))
      assert.ok(counts[0]! >= 1)
      assert.deepEqual(counts, Array(4).fill(counts[0]))
    })
  }

  it('one that lacks its permission: that of its authentication only', async () => {
    await approve({ ...narrow, people: 'none' }, [space])
    assert.equal(await statementsOf('/users'), 1)
  })

  // Not of the judgement: what is asked for is then something else.
  for (const [path, more, why] of [
    ['/devices', 1, 'the spaces below'],
    [`/devices?space_id=${space}`, 1, 'the spaces below'],
    ['/info', 2, 'the spaces below, for the counts of devices and of spaces'],
    ['/permissions', 1, 'the names of the spaces'],
  ] as const) {
    it(`${path.split('=')[0]}: as many with fewer permissions; limited to spaces it also reads ${why}`, async () => {
      const [whole, ...narrowed] = await countAll(path)
      assert.deepEqual(narrowed, [whole, whole! + more, whole! + more])
    })
  }
})
