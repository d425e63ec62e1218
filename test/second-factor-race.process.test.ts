// What counts once, on two processes, and after kill -9.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOfStep, stepOf } from '../server/src/directory/accounts/factors/totp.ts'
import { codesOn, secretOn } from './support/account.ts'
import { Browser } from './support/form-browser.ts'
import { operatorKey } from './support/keys.ts'
import { holdLocks, untilWaiting } from './support/locks.ts'
import { startTwoProcesses } from './support/two-processes.ts'

const { services, urls, sql, start } = await startTwoProcesses()
const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
await fetch(`${urls[0]}/core/v1/operator/partners`, {
  method: 'POST',
  headers: { authorization: operatorKey, 'content-type': 'application/json' },
  body: JSON.stringify({ name: 'Acme', portal_domain: null, admin: person }),
})
const path = '/sign-in/second-factor'
const browserAt = (url: string) => new Browser('network', { host: new URL(url).host })

const owner = browserAt(urls[0])
await owner.signIn(person)
const secret = secretOn((await owner.get('/account/authenticator')).body)
/** Of the next step, so that each test has one that was not used: steps are thirty seconds long. */
let step = stepOf(new Date()) - 2
const nextCode = () => {
  step = Math.max(step + 1, stepOf(new Date()) - 1)
  return codeOfStep(secret, step)
}
const codes = codesOn((await owner.post('/account/authenticator', { totp: nextCode() })).body)

async function halfway(url: string): Promise<Browser> {
  const browser = browserAt(url)
  assert.equal((await browser.signIn(person)).location, path)
  return browser
}

/** Two requests for each process, all of which have found the factor unused. */
async function race(form: Record<string, string>, table: 'totp_factors' | 'recovery_codes'): Promise<number[]> {
  const browsers = await Promise.all([urls[0], urls[1], urls[0], urls[1]].map(halfway))
  const release = await holdLocks(sql, (hold) => hold`select from ${hold(table)} for update`)
  const racing = browsers.map((browser) => browser.post(path, form))
  await untilWaiting(sql, 4)
  await release()
  return (await Promise.all(racing)).map(({ status }) => status).toSorted()
}

describe('CVE-2026-1035: on two processes at once', () => {
  it('a code of an app signs in once', async () => {
    assert.deepEqual(await race({ totp: nextCode() }, 'totp_factors'), [303, 401, 401, 401])
    await sql`delete from sign_in_attempts`
  })

  it('a recovery code signs in once', async () => {
    assert.deepEqual(await race({ recovery_code: codes[0]! }, 'recovery_codes'), [303, 401, 401, 401])
    await sql`delete from sign_in_attempts`
  })

  it('five wrong codes are tried, whichever process they reach', async () => {
    const browsers = await Promise.all([urls[0], urls[1], urls[0], urls[1]].map(halfway))
    const tries = browsers.flatMap((browser) => [1, 2, 3].map(() => browser.post(path, { recovery_code: 'wrong' })))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 401).length, 5)
    assert.equal(statuses.filter((status) => status === 429).length, 7)
    await sql`delete from sign_in_attempts`
  })
})

describe('CVE-2026-9802: after kill -9', () => {
  it('a recovery code and a step that were used stay used', async () => {
    const used = { recovery_code: codes[1]! }
    const totp = nextCode()
    assert.equal((await (await halfway(urls[0])).post(path, used)).status, 303)
    assert.equal((await (await halfway(urls[0])).post(path, { totp })).status, 303)
    await Promise.all(services.map((service) => service.kill()))
    const { ready } = await start()
    const url = ready.public_url.replace('localhost', '127.0.0.1')
    assert.equal((await (await halfway(url)).post(path, used)).status, 401)
    assert.equal((await (await halfway(url)).post(path, { totp })).status, 401)
    assert.equal((await (await halfway(url)).post(path, { recovery_code: codes[2]! })).status, 303)
  })
})
