import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { digest } from '../server/src/platform/secrets/secrets.ts'
import { type Reply, refreshAt, revokeAt, userinfoAt } from './support/calls.ts'
import { holdLocks, untilWaiting } from './support/locks.ts'
import { type Chain, seedGrants } from './support/seeded-grants.ts'
import { startTwoProcesses } from './support/two-processes.ts'

/** `npm run test:refresh-race` runs all 200. */
const rounds = Number(process.env.LANDBRIDGE_RACE_ROUNDS ?? 8)

const { urls, sql } = await startTwoProcesses()
const on = (n: number) => urls[n % 2]!

async function deadlocks(): Promise<number> {
  const [row] = await sql<{ deadlocks: number }[]>`
    select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()`
  return row!.deadlocks
}

function holdRefreshToken(token: string): Promise<() => Promise<void>> {
  return holdLocks(sql, (hold) => hold`select from refresh_tokens where digest = ${digest(token)} for update`)
}

describe('3 refresh tokens on two processes', () => {
  it(`64 parallel refreshes of one token, ${rounds} rounds → exactly one success each and no deadlock`, async () => {
    // 300 requests per minute and client are allowed: four rounds of 64.
    const { chains } = await seedGrants(sql, Math.ceil(rounds / 4), 'ES256')
    for (let round = 0; round < rounds; round += 1) {
      const chain = chains[Math.floor(round / 4)]!
      const release = await holdRefreshToken(chain.refresh_token)
      const racing = Array.from({ length: 64 }, (_, n) => refreshAt(on(n), chain))
      // One statement per process: both have found the token not rotated, and want to rotate it.
      await untilWaiting(sql, 2)
      await release()
      const replies = await Promise.all(racing)
      const won = replies.filter(({ status }) => status === 200)
      assert.equal(won.length, 1, `round ${round}: ${replies.map(({ status }) => status)}`)
      for (const { status, body } of replies) {
        if (status !== 200) assert.deepEqual([status, body.error], [400, 'invalid_grant'])
      }
      assert.equal((await userinfoAt(on(round), won[0]!.body.access_token)).status, 200)
      chain.refresh_token = won[0]!.body.refresh_token
    }
    assert.equal(await deadlocks(), 0)
  })

  it('many tokens refreshed by both processes in opposite orders: one success per token, and no deadlock', async () => {
    const { chains } = await seedGrants(sql, 40, 'ES256')
    for (let round = 0; round < 3; round += 1) {
      const forth = chains.flatMap((chain) => [chain, chain])
      const replies: Reply[][] = chains.map(() => [])
      const race = async (url: string, order: typeof chains) =>
        await Promise.all(order.map(async (chain) => replies[chains.indexOf(chain)]!.push(await refreshAt(url, chain))))
      await Promise.all([race(urls[0], forth), race(urls[1], forth.toReversed())])
      for (const [index, chain] of chains.entries()) {
        const won = replies[index]!.filter(({ status }) => status === 200)
        assert.equal(won.length, 1)
        chain.refresh_token = won[0]!.body.refresh_token
      }
    }
    assert.equal(await deadlocks(), 0)
  })

  it('revoked while a refresh is under way: no token survives', async () => {
    const { chains, accessTokens } = await seedGrants(sql, 1, 'ES256')
    const [chain] = chains
    const release = await holdRefreshToken(chain!.refresh_token)
    const refreshing = refreshAt(on(0), chain!)
    await untilWaiting(sql)
    assert.equal((await revokeAt(on(1), chain!, accessTokens[0]!)).status, 200)
    await release()
    const refreshed = await refreshing
    assert.equal(refreshed.status, 200, 'judged before the revocation, rotated after it')
    await assertRevoked(chain!, refreshed)
  })

  it('refreshed while a revocation is under way: no token survives', async () => {
    const { chains, accessTokens } = await seedGrants(sql, 1, 'ES256')
    const [chain] = chains
    const [refreshed, revoked] = await overlapWithRevocation(chain!, accessTokens[0]!)
    assert.deepEqual([refreshed.status, revoked.status], [200, 200])
    await assertRevoked(chain!, refreshed)
  })
})

/** The revocation has done everything but commit when the refresh comes: what it records is held back. */
async function overlapWithRevocation(chain: Chain, accessToken: string): Promise<[Reply, Reply]> {
  const release = await holdLocks(sql, (hold) => hold`lock table audit_events in exclusive mode`)
  const revoking = revokeAt(on(1), chain, accessToken)
  await untilWaiting(sql)
  const refreshed = await refreshAt(on(0), chain)
  await release()
  return [refreshed, await revoking]
}

async function assertRevoked(chain: Chain, { body }: Reply): Promise<void> {
  assert.equal((await userinfoAt(on(1), body.access_token)).status, 401)
  const again = await refreshAt(on(0), { ...chain, refresh_token: body.refresh_token })
  assert.equal(again.body.error, 'invalid_grant')
}
