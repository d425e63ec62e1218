import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Reply, refreshAt, revokeAt, userinfoAt } from './support/calls.ts'
import { seedGrants } from './support/seeded-grants.ts'
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

describe('3 refresh tokens over two processes', () => {
  it(`64 parallel refreshes of one token, ${rounds} rounds → exactly one success each and no deadlock`, async () => {
    // 300 requests per minute and client are allowed: four rounds of 64.
    const { chains } = await seedGrants(sql, Math.ceil(rounds / 4), 'ES256')
    for (let round = 0; round < rounds; round += 1) {
      const chain = chains[Math.floor(round / 4)]!
      const replies = await Promise.all(Array.from({ length: 64 }, (_, n) => refreshAt(on(n), chain)))
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

  it('many tokens raced by both processes in opposite orders: one success per token, and no deadlock', async () => {
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

  it('refresh racing revoke: no token survives', async () => {
    const { chains, accessTokens } = await seedGrants(sql, 60, 'ES256')
    let raced = 0
    await Promise.all(
      chains.map(async (chain, n) => {
        const [refreshed, revoked] = await Promise.all([
          refreshAt(on(n), chain),
          revokeAt(on(n + 1), chain, accessTokens[n]!),
        ])
        assert.equal(revoked.status, 200)
        if (refreshed.status !== 200) return
        raced += 1
        assert.equal((await userinfoAt(on(n + 1), refreshed.body.access_token)).status, 401)
        const again = await refreshAt(on(n), { ...chain, refresh_token: refreshed.body.refresh_token })
        assert.equal(again.body.error, 'invalid_grant')
      }),
    )
    assert.ok(raced > 0, 'no refresh came in before its revocation: nothing was raced')
  })
})
