import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { digest, mintSecret } from '../server/src/platform/secrets/secrets.ts'
import { nextAddress } from './support/applications.ts'
import { operatorAt, post, refreshAt, revokeAt, userinfoAt } from './support/calls.ts'
import { seedGrants } from './support/seeded-grants.ts'
import { startTwoProcesses } from './support/two-processes.ts'

const two = await startTwoProcesses()
const { urls, sql } = two
const [here, there] = urls

function usersAt(base: string, token: string): Promise<Response> {
  return fetch(`${base}/core/v1/organization/users`, { headers: { authorization: `Bearer ${token}` } })
}

describe('decision 9.2 a change on one process takes effect with the next request on the other', () => {
  it('3 a grant revoked here is revoked there', async () => {
    const { chains, accessTokens } = await seedGrants(sql, 1, 'ES256')
    assert.equal((await userinfoAt(there, accessTokens[0]!)).status, 200)
    await revokeAt(here, chains[0]!, accessTokens[0]!)
    assert.equal((await userinfoAt(there, accessTokens[0]!)).status, 401)
    assert.equal((await refreshAt(there, chains[0]!)).body.error, 'invalid_grant')
  })

  it('2.1 an application disabled here is refused there, and its grants stay revoked after re-enabling', async () => {
    const { chains, accessTokens } = await seedGrants(sql, 1, 'ES256')
    const path = `/applications/${chains[0]!.client_id}`
    assert.equal((await operatorAt(here, 'PATCH', path, { enabled: false })).status, 200)
    assert.equal((await userinfoAt(there, accessTokens[0]!)).status, 401)
    assert.equal((await refreshAt(there, chains[0]!)).status, 401)
    await operatorAt(there, 'PATCH', path, { enabled: true })
    assert.equal((await userinfoAt(here, accessTokens[0]!)).status, 401)
    assert.equal((await refreshAt(here, chains[0]!)).body.error, 'invalid_grant')
  })

  it('2.3 an approval withdrawn at the portal here revokes the tokens there', async () => {
    const { chains, accessTokens, grantIds } = await seedGrants(sql, 1, 'ES256')
    const [chain, token] = [chains[0]!, accessTokens[0]!]
    const [row] = await sql<{ customer_id: string; user_id: string }[]>`
      select g.customer_id, t.user_id from grants g join access_tokens t on t.grant_id = g.id where g.id = ${grantIds[0]!}`
    const { customer_id, user_id } = row!
    await sql`
      insert into memberships (customer_id, user_id, role, created_at)
      values (${customer_id}, ${user_id}, 'administrator', now())`
    await sql`
      insert into approvals (client_id, customer_id, policy, approved_by, approved_at)
      values (${chain.client_id}, ${customer_id}, 'everyone', ${user_id}, now())`
    const session = mintSecret('session')
    await sql`
      insert into sessions (digest, user_id, host, signed_in_at, last_seen_at)
      values (${digest(session)}, ${user_id}, ${new URL(here).hostname}, now(), now())`
    assert.equal((await usersAt(there, token)).status, 200)
    const withdrawn = await fetch(`${here}/core/v1/organization/connected-apps/${chain.client_id}`, {
      method: 'DELETE',
      headers: { cookie: `landbridge=${session}`, origin: here },
    })
    assert.deepEqual(await withdrawn.json(), { client_id: chain.client_id, grant_revoked: true, spaces_released: 0 })
    assert.equal((await usersAt(there, token)).status, 401)
    assert.equal((await refreshAt(there, chain)).body.error, 'invalid_grant')
  })

  it('4.5 signing keys deleted and added here are so there, without a restart', async () => {
    const { chains } = await seedGrants(sql, 1, 'ES256')
    await sql`delete from signing_keys`
    const refused = await refreshAt(there, chains[0]!)
    assert.deepEqual([refused.status, refused.body.error], [500, 'server_error'])
    const added = await operatorAt(here, 'POST', '/signing-keys', { alg: 'ES256' })
    const { status, body } = await refreshAt(there, chains[0]!)
    assert.equal(status, 200, 'the token was not spent')
    assert.equal(decodeProtectedHeader(body.id_token).kid, added.body.kid)
  })

  it('8 the limits are counted together: 60 of 100 requests of one address pass', async () => {
    const from = nextAddress()
    const fields = { grant_type: 'x' }
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, n) => post(`${urls[n % 2]}/oauth/token`, fields, from)),
    )
    assert.equal(replies.filter(({ status }) => status === 429).length, 40)
    for (const { status, body, headers } of replies.filter((reply) => reply.status === 429)) {
      assert.equal(status, 429)
      assert.deepEqual(body, { error: 'Too many requests' })
      assert.equal(headers.get('retry-after'), null)
    }
  })

  it('8 behind a trusted proxy the client’s address counts, and what the client itself claims does not', async () => {
    const from = nextAddress()
    const claims = (n: number) => `203.0.113.${n}, ${from}`
    const statuses: number[] = []
    for (let n = 0; n < 61; n += 1) {
      statuses.push((await post(`${here}/oauth/token`, { grant_type: 'x' }, claims(n))).status)
    }
    assert.equal(statuses.filter((status) => status === 429).length, 1)
  })
})

describe('what was committed survives the process', () => {
  it('3 replay is detected after a restart, and no key is created again', async () => {
    const { chains, accessTokens } = await seedGrants(sql, 1, 'ES256')
    const [chain] = chains as [(typeof chains)[0]]
    assert.equal((await refreshAt(here, chain)).status, 200)
    await two.services[0].kill()
    const restarted = (await two.start()).ready.public_url
    // Instead of waiting: the rotation was two minutes ago.
    await sql`update retired_refresh_tokens set rotated_at = rotated_at - interval '2 minutes'`
    assert.equal((await refreshAt(restarted, chain)).body.error, 'invalid_grant')
    assert.equal((await userinfoAt(there, accessTokens[0]!)).status, 401)
    const { body } = await operatorAt(there, 'GET', '/audit-events?type=refresh_token.replayed')
    assert.equal(body.items[0].application_id, chain.client_id)
    const [created] = await sql`select count(*)::int as keys from signing_keys where removed_at is null`
    assert.equal(created!.keys, 1)
  })
})
