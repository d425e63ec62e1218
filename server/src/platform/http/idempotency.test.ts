import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startHarness } from '../../../../test/support/harness.ts'
import { holdLocks, overlap, untilWaiting } from '../../../../test/support/locks.ts'
import {
  type CredentialKind,
  createOrganization,
  type TestOrganization,
} from '../../../../test/support/organization.ts'
import { runJob } from '../jobs.ts'
import { masterKey } from '../secrets/master-key.ts'
import { digest } from '../secrets/secrets.ts'
import { deleteOldIdempotencyKeysJob } from './idempotency.ts'

const service = await startHarness()
let keys = 0
const newKey = () => {
  keys += 1
  return `key ${keys}`
}

describe('Idempotency-Key', () => {
  let organization: TestOrganization
  before(async () => {
    organization = await createOrganization(service)
  })
  const createGroup = (key: string, name: string, credential: CredentialKind = 'api_key') =>
    organization.call(credential, 'POST', '/groups', { name }, { 'idempotency-key': key })
  const count = async (name: string) => {
    const [row] = await service.sql`select count(*)::int from groups where name = ${name}`
    return row!.count
  }

  it('a repeated call gets the same response, to the byte, and creates nothing', async () => {
    const key = newKey()
    const first = await createGroup(key, 'Once')
    const again = await createGroup(key, 'Once')
    assert.equal(first.status, 201)
    assert.equal(first.headers['idempotency-replayed'], undefined)
    assert.equal(again.status, 201)
    assert.equal(again.raw, first.raw)
    assert.equal(again.headers['content-type'], first.headers['content-type'])
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.equal(await count('Once'), 1)
    assert.equal((await organization.call('api_key', 'POST', '/groups', { name: 'Once' })).status, 409)
  })

  it('of sixteen at once one is executed; the others get its response or 409', async () => {
    for (let round = 0; round < 5; round += 1) {
      const key = newKey()
      const name = `At once ${round}`
      const responses = await Promise.all(Array.from({ length: 16 }, () => createGroup(key, name)))
      const created = responses.filter(({ status }) => status === 201)
      assert.ok(created.length >= 1)
      assert.equal(new Set(created.map(({ raw }) => raw)).size, 1)
      for (const { status, body } of responses) {
        if (status !== 201) assert.deepEqual([status, body.code], [409, 'idempotency_key_in_use'])
      }
      assert.equal(await count(name), 1)
    }
  })

  it('the same key with another body → 422 idempotency_key_reused', async () => {
    const key = newKey()
    await createGroup(key, 'One body')
    const other = await createGroup(key, 'Another body')
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
    assert.equal(await count('Another body'), 0)
  })

  it("another caller's and another route's same key are other keys", async () => {
    const key = newKey()
    await createGroup(key, 'Mine')
    assert.equal((await createGroup(key, 'By token', 'bearer')).status, 201)
    const space = await organization.call('api_key', 'POST', '/spaces', { name: 'Mine' }, { 'idempotency-key': key })
    assert.equal(space.status, 201)
    const other = await createOrganization(service)
    const theirs = await other.call('api_key', 'POST', '/groups', { name: 'Mine' }, { 'idempotency-key': key })
    assert.equal(theirs.status, 201)
    assert.equal(theirs.headers['idempotency-replayed'], undefined)
  })

  it('a refused call leaves the key free', async () => {
    const key = newKey()
    await createGroup(newKey(), 'Taken')
    assert.equal((await createGroup(key, 'Taken')).status, 409)
    await service.sql`delete from groups where name = 'Taken'`
    assert.equal((await createGroup(key, 'Taken')).status, 201)
  })

  it('a response with a secret is repeated too, and is stored sealed', async () => {
    const headers = { 'idempotency-key': newKey() }
    const first = await organization.call('session', 'POST', '/api-keys', { name: 'Kept' }, headers)
    const again = await organization.call('session', 'POST', '/api-keys', { name: 'Kept' }, headers)
    assert.equal(again.body.key, first.body.key)
    for (const { response } of await service.sql`select response from idempotency_keys`) {
      assert.ok(!response.toString('latin1').includes('lbk_'))
    }
  })

  it('a body, which may hold a password, cannot be guessed from what is stored', async () => {
    await createGroup(newKey(), 'Guessed')
    const guess = digest('{"name":"Guessed"}')
    assert.equal((await service.sql`select from idempotency_keys where body_digest = ${guess}`).length, 0)
  })

  it('a response sealed with a replaced master key → 409 idempotent_answer_lost', async () => {
    const key = newKey()
    await createGroup(key, 'Sealed')
    const former = masterKey(Buffer.alloc(32))
    const response = former.seal('idempotency', '{}')
    const bodyDigest = former.keyedDigest('idempotency', '{"name":"Sealed"}')
    await service.sql`update idempotency_keys set response = ${response}, body_digest = ${bodyDigest}`
    const lost = await createGroup(key, 'Sealed')
    assert.deepEqual([lost.status, lost.body.code], [409, 'idempotent_answer_lost'])
  })

  it('works for the operator', async () => {
    const call = () =>
      service.app.inject({
        method: 'POST',
        url: '/core/v1/operator/customers',
        headers: { authorization: service.context.operatorKey, 'idempotency-key': 'operator key' },
        payload: { partner_id: organization.application.partner_id, name: 'Once only' },
      })
    assert.equal((await call()).body, (await call()).body)
  })

  it('expires after a day', async () => {
    const key = newKey()
    const { id } = (await createGroup(key, 'For a day')).body
    service.clock.forward(86_399)
    assert.equal((await createGroup(key, 'For a day')).body.id, id)
    service.clock.forward(1)
    assert.equal((await createGroup(key, 'For a day')).body.code, 'name_taken')
    await createGroup(newKey(), 'Another day')
    service.clock.forward(86_401)
    await runJob(service.sql, deleteOldIdempotencyKeysJob(service.context))
    const [left] = await service.sql`select count(*)::int from idempotency_keys`
    assert.equal(left!.count, 0)
  })

  it('a key that is empty, long or unprintable → 422', async () => {
    for (const key of ['', 'x'.repeat(256), 'ü']) {
      const refused = await createGroup(key, 'Bad key')
      assert.deepEqual([refused.status, refused.body.code], [422, 'invalid'])
    }
  })

  describe('a process that dies', () => {
    /** The state a crash leaves behind, built from a finished call. */
    const crashed = async (carriedOut: boolean) => {
      const key = newKey()
      const name = `Crash ${key}`
      await createGroup(key, name)
      if (!carriedOut) await service.sql`delete from groups where name = ${name}`
      await service.sql`
        update idempotency_keys set status = null, response = null, carried_out = ${carriedOut}
        where reserved_at = (select max(reserved_at) from idempotency_keys) and response is not null`
      return { key, name }
    }

    it('before the call is executed: the next attempt executes it', async () => {
      const { key, name } = await crashed(false)
      service.clock.forward(59)
      assert.equal((await createGroup(key, name)).body.code, 'idempotency_key_in_use')
      service.clock.forward(2)
      assert.equal((await createGroup(key, name)).status, 201)
      assert.equal(await count(name), 1)
    })

    it('after the call and before its response is stored: nothing is created twice, and the caller gets an error', async () => {
      const { key, name } = await crashed(true)
      service.clock.forward(59)
      assert.equal((await createGroup(key, name)).body.code, 'idempotency_key_in_use')
      service.clock.forward(2)
      const lost = await createGroup(key, name)
      assert.deepEqual([lost.status, lost.body.code], [409, 'idempotent_answer_lost'])
      assert.equal(await count(name), 1)
    })

    const { sql, clock } = service

    it('or only seemed to: an attempt that was replaced cannot commit', async () => {
      const key = newKey()
      const slow = () => createGroup(key, 'Slow')
      const responses = await overlap(sql, slow, () => {
        // So late that another attempt has replaced it.
        clock.forward(61)
        return slow()
      })
      assert.deepEqual(responses.map(({ status }) => status).toSorted(), [201, 409])
      assert.equal(await count('Slow'), 1)
    })

    it('or only seemed to: nor can it when its replacement failed and a third attempt runs', async () => {
      const key = newKey()
      // Held back at its very end, where it records what it did.
      const release = await holdLocks(sql, (hold) => hold`lock table audit_events in exclusive mode`)
      const slow = createGroup(key, 'Slower')
      await untilWaiting(sql)
      clock.forward(61)
      const second = createGroup(key, 'Slower')
      // It waits until the first one has created its group or failed, for the count of the quota.
      await untilWaiting(sql, 2)
      await sql`
        select pg_cancel_backend(pid) from pg_stat_activity
        where wait_event = 'advisory' and datname = current_database()`
      assert.ok((await second).status >= 500)
      const third = createGroup(key, 'Slower')
      await untilWaiting(sql, 2)
      await release()
      assert.deepEqual([(await slow).body.code, (await third).status], ['idempotency_key_in_use', 201])
    })
  })
})
