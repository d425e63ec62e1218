import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import {
  connect,
  exchange,
  openCode,
  refresh,
  registerApplication,
  revoke,
  userinfo,
} from '../../../../test/support/applications.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { holdLocks, untilWaiting } from '../../../../test/support/locks.ts'
import { masterKey } from '../../platform/secrets/master-key.ts'
import { ensureSigningKeys } from '../keys/signing-keys.ts'
import { threadsPerProcess } from '../keys/signing-threads.ts'

const service = await startHarness()
const application = await registerApplication(service)

const listKeys = async () => (await service.operator('GET', '/signing-keys')).body.items
const keySet = async () => (await service.app.inject('/oauth/.well-known/jwks.json')).json()
const kidOf = (jwt: string) => decodeProtectedHeader(jwt).kid

/** No API call leads here: the last key is never removed. */
async function deleteAllKeys(): Promise<void> {
  await service.sql`delete from signing_keys`
}

async function idToken(): Promise<string> {
  return (await exchange(service, application, await openCode(service, application))).body.id_token
}

describe('7.3 token endpoint: 500 server_error, id_token could not be signed', () => {
  it('neither the code nor the refresh token is spent, and both work once there is a key', async () => {
    const connected = await exchange(service, application, await openCode(service, application))
    const code = await openCode(service, application)
    await deleteAllKeys()
    for (const reply of [
      await exchange(service, application, code),
      await refresh(service, application, connected.body.refresh_token),
    ]) {
      assert.deepEqual([reply.status, reply.body.error], [500, 'server_error'])
      assert.equal(reply.headers['cache-control'], 'no-store')
      assert.equal(reply.headers.pragma, 'no-cache')
    }
    const added = await service.operator('POST', '/signing-keys', { alg: 'RS256' })
    assert.equal(added.status, 201)
    assert.equal(added.body.state, 'signing', 'at once when no other key can sign')
    assert.equal((await exchange(service, application, code)).status, 200)
    assert.equal((await refresh(service, application, connected.body.refresh_token)).status, 200)
  })

  it('a key of the other algorithm does not help', async () => {
    const other = await registerApplication(service, { id_token_alg: 'ES256' })
    const code = await openCode(service, other)
    assert.equal((await exchange(service, other, code)).body.error, 'server_error')
    await service.operator('POST', '/signing-keys', { alg: 'ES256' })
    assert.equal((await exchange(service, other, code)).status, 200)
  })

  it('without openid no key is needed', async () => {
    await deleteAllKeys()
    const code = await openCode(service, application, { scope: 'email' })
    assert.equal((await exchange(service, application, code)).status, 200)
    await service.operator('POST', '/signing-keys')
  })

  it('a key that the master key cannot decrypt counts as none', async () => {
    await deleteAllKeys()
    const { body } = await service.operator('POST', '/signing-keys')
    assert.equal(body.state, 'signing')
    const sealedElsewhere = masterKey(Buffer.alloc(32, 1)).seal('signing key', '{}')
    await service.sql`update signing_keys set private_jwk = ${sealedElsewhere} where kid = ${body.kid}`
    const code = await openCode(service, application)
    assert.equal((await exchange(service, application, code)).body.error, 'server_error')
    service.clock.forward(1)
    assert.equal(
      (await service.operator('POST', '/signing-keys')).body.state,
      'signing',
      'at once when no other key can sign',
    )
    assert.equal((await service.operator('DELETE', `/signing-keys/${body.kid}`)).status, 204)
    assert.equal((await exchange(service, application, code)).status, 200)
  })
})

describe('decision 6.29 who needs no signature does not wait for those who do', () => {
  it('a refresh without openid, a bearer and a revocation, while every thread is busy', async () => {
    const [one, other] = [await connect(service, application), await connect(service, application)]
    // A tenth of a second of work or more, however many cores sign.
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    let waiting = 300 * threadsPerProcess(1)
    const signatures = Array.from({ length: waiting }, async () => {
      await service.context.signingThreads.sign(privateKey, 'one')
      waiting -= 1
    })
    assert.equal((await refresh(service, application, one.refresh_token, 'email')).status, 200)
    assert.equal((await userinfo(service, other.access_token)).status, 200)
    assert.equal((await revoke(service, application, other.access_token)).status, 200)
    assert.ok(waiting > 0, 'signatures still wait')
    await Promise.all(signatures)
  })
})

describe('4.5 signing keys change without a failed verification', () => {
  it('a client that caches the key set for 5 minutes verifies every id_token through a rotation', async () => {
    let cached = { at: -Infinity, keys: await keySet() }
    const signers = new Set<string>()
    // Minute by minute while the new key takes over, then in steps of ten until the old one is unpublished.
    const minutes = [...Array.from({ length: 20 }, (_, minute) => minute), 20, 30, 40, 50, 60, 70, 80]
    for (const minute of minutes) {
      if (minute === 10) await service.operator('POST', '/signing-keys')
      const now = service.clock.now().getTime()
      if (now - cached.at >= 300_000) cached = { at: now, keys: await keySet() }
      const token = await idToken()
      signers.add(String(kidOf(token)))
      await jwtVerify(token, createLocalJWKSet(cached.keys), { currentDate: service.clock.now() })
      service.clock.forward(minute < 20 ? 60 : 600)
    }
    assert.equal(signers.size, 2)
    assert.equal((await keySet()).keys.filter(({ alg }: { alg: string }) => alg === 'RS256').length, 1)
  })

  it('an id_token can be verified until it expires, though its key was removed the moment after', async () => {
    const token = await idToken()
    await service.operator('POST', '/signing-keys')
    service.clock.forward(300)
    assert.equal((await service.operator('DELETE', `/signing-keys/${kidOf(token)}`)).status, 204)
    service.clock.forward(3299)
    await jwtVerify(token, createLocalJWKSet(await keySet()), { currentDate: service.clock.now() })
    service.clock.forward(602)
    assert.equal(JSON.stringify(await keySet()).includes(String(kidOf(token))), false)
  })

  it('when a successor is removed, the key before it signs again', async () => {
    const before = kidOf(await idToken())
    const { body: next } = await service.operator('POST', '/signing-keys')
    assert.equal(next.state, 'published')
    assert.equal(kidOf(await idToken()), before)
    service.clock.forward(300)
    assert.equal(kidOf(await idToken()), next.kid)
    assert.equal((await service.operator('DELETE', `/signing-keys/${next.kid}`)).status, 204)
    assert.equal(kidOf(await idToken()), before)
  })

  it('decision 6.18 add a key, then remove the old one: refused until the new one signs, and no id_token fails', async () => {
    service.clock.forward(7200)
    const old = kidOf(await idToken())
    const alone = await service.operator('DELETE', `/signing-keys/${old}`)
    assert.deepEqual([alone.status, alone.body.code], [409, 'last_signing_key'])
    const { body: next } = await service.operator('POST', '/signing-keys')
    const refused = await service.operator('DELETE', `/signing-keys/${old}`)
    assert.deepEqual([refused.status, refused.body.code], [409, 'last_signing_key'])
    assert.ok(refused.body.error.includes(next.signs_from) && refused.body.error.includes(next.kid), refused.body.error)
    assert.equal(kidOf(await idToken()), old)
    service.clock.forward(300)
    assert.equal((await service.operator('DELETE', `/signing-keys/${old}`)).status, 204)
    assert.equal(kidOf(await idToken()), next.kid)
  })

  it('decision 6.18 two removals at once leave one key that signs', async () => {
    for (const order of [(kids: string[]) => kids, (kids: string[]) => kids.toReversed()]) {
      service.clock.forward(7200)
      const { body: next } = await service.operator('POST', '/signing-keys')
      const old = kidOf(await idToken())
      service.clock.forward(300)
      const release = await holdLocks(service.sql, (hold) => hold`lock table signing_keys in share row exclusive mode`)
      const removals = order([String(old), next.kid]).map((kid) => service.operator('DELETE', `/signing-keys/${kid}`))
      await untilWaiting(service.sql, 2)
      await release()
      const statuses = (await Promise.all(removals)).map(({ status }) => status)
      assert.deepEqual(statuses.toSorted(), [204, 409])
      assert.ok(await idToken())
    }
    service.clock.forward(7200)
  })

  it('a leaked key is unpublished at once, and its published successor signs at once', async () => {
    const kid = kidOf(await idToken())
    assert.equal((await service.operator('DELETE', `/signing-keys/${kid}?leaked=true`)).status, 409)
    const { body: next } = await service.operator('POST', '/signing-keys')
    assert.equal(next.state, 'published')
    assert.equal((await service.operator('DELETE', `/signing-keys/${kid}?leaked=true`)).status, 204)
    assert.equal(JSON.stringify(await keySet()).includes(String(kid)), false)
    assert.equal(kidOf(await idToken()), next.kid)
  })

  it('the list shows what is published and when it signs, and never a private part', async () => {
    const items = await listKeys()
    const set = await keySet()
    assert.deepEqual(
      items.map(({ kid }: { kid: string }) => kid).toSorted(),
      set.keys.map(({ kid }: { kid: string }) => kid).toSorted(),
    )
    assert.deepEqual(Object.keys(items[0]), [
      'kid',
      'alg',
      'state',
      'created_at',
      'signs_from',
      'signs_until',
      'published_until',
    ])
  })

  it('an unknown key is a 404, an unknown algorithm a 422', async () => {
    assert.equal((await service.operator('DELETE', '/signing-keys/unknown')).status, 404)
    assert.equal((await service.operator('POST', '/signing-keys', { alg: 'HS256' })).status, 422)
  })

  it('each action leaves an audit event', async () => {
    for (const type of ['signing_key.added', 'signing_key.removed']) {
      assert.ok((await service.operator('GET', `/audit-events?type=${type}`)).body.items.length > 0)
    }
  })

  it('an empty database gets one key per algorithm from one of many processes, and never again', async () => {
    await service.sql`truncate signing_keys, first_signing_keys`
    await Promise.all(Array.from({ length: 4 }, () => ensureSigningKeys(service.context)))
    assert.deepEqual((await listKeys()).map(({ alg }: { alg: string }) => alg).toSorted(), ['ES256', 'RS256'])
    await deleteAllKeys()
    await ensureSigningKeys(service.context)
    assert.deepEqual(await listKeys(), [])
  })
})
