import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { ownLimits } from '../../platform/own-limits.ts'
import { hashPassword } from '../../platform/secrets/passwords.ts'

const service = await startHarness()
const ada = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
const eve = { name: 'Eve', email: 'eve@example.com', password: 'another long password' }
await service.operator('POST', '/partners', { name: 'Acme', portal_domain: 'acme.test', admin: ada })
await service.operator('POST', '/partners', { name: 'Evil', portal_domain: null, admin: eve })

const browse = (address = '198.51.100.1') => new Browser(service, { host: 'acme.test', address })
const wrong = { ...ada, password: 'wrong password' }

describe('decision 10.4 right passwords', () => {
  const { signInsPerAccount, signInsPerAddress } = ownLimits
  const count = async () => (await service.sql`select count(*)::int as count from sessions`)[0]!.count

  it('are limited per account, whatever the address and the browser; over the limit no session starts', async () => {
    service.clock.forward(601)
    const browser = browse('203.0.113.40')
    const statuses: number[] = []
    for (let n = 0; n < signInsPerAccount; n += 1) {
      statuses.push((await (n % 2 === 0 ? browser : browse(`203.0.113.${41 + n}`)).signIn(eve)).status)
    }
    assert.ok(statuses.every((status) => status === 303))
    const before = await count()
    assert.equal((await browser.signIn(eve)).status, 429)
    assert.equal((await browse('203.0.113.90').signIn(eve)).status, 429)
    assert.equal(await count(), before)
    assert.equal((await browse('203.0.113.40').signIn(ada)).status, 303, 'another account is not concerned')
    service.clock.forward(61)
    assert.equal((await browser.signIn(eve)).status, 303)
  })

  it('nobody locks an owner out: wrong passwords do not count against the limit of right ones', async () => {
    service.clock.forward(601)
    for (let n = 0; n < signInsPerAccount + 5; n += 1) await browse(`198.51.100.${n}`).signIn(wrong)
    assert.equal((await browse('203.0.113.91').signIn(ada)).status, 303)
  })

  it('are limited per address, except for a browser that has signed in to the account before', async () => {
    service.clock.forward(601)
    const known = browse('203.0.113.92')
    await known.signIn(ada)
    for (let n = 0; n < signInsPerAddress; n += 1) {
      await service.context.limits.take('sign-ins address 203.0.113.92', signInsPerAddress)
    }
    assert.equal((await browse('203.0.113.92').signIn(ada)).status, 429)
    assert.equal((await known.signIn(ada)).status, 303)
    assert.equal((await browse('203.0.113.93').signIn(ada)).status, 303)
    service.clock.forward(61)
  })
})

describe('decision 10.5 more passwords at once than may wait', () => {
  it('503 with Retry-After as a page; nothing is counted as a failure, and afterwards everybody signs in', async () => {
    service.clock.forward(601)
    const { passwordsAtOnce, passwordsWaiting } = ownLimits
    const cost = { memory: 4_096, passes: 2, parallelism: 1 }
    let full = true
    // A few more than there is room for, so that there is never any.
    const others = Array.from({ length: passwordsAtOnce + passwordsWaiting + 10 }, async () => {
      while (full) await hashPassword('x', cost).catch(() => nextTurn())
    })
    const visits = await Promise.all([browse().signIn(ada), browse().signIn({ ...ada, email: 'nobody@example.com' })])
    full = false
    await Promise.all(others)
    for (const { status, headers, body } of visits) {
      assert.deepEqual([status, headers['retry-after']], [503, '2'])
      assert.match(body, /^<!doctype html>/)
    }
    const [row] = await service.sql`
      select coalesce(max(failures), 0)::int as max from sign_in_attempts where opened_at = ${service.clock.now()}`
    assert.equal(row!.max, 0)
    assert.equal((await browse().signIn(ada)).status, 303)
    assert.equal((await browse().signIn({ ...ada, email: 'nobody@example.com' })).status, 401)
  })
})
