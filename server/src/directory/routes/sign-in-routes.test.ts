import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { signInLimits } from '../../platform/own-limits.ts'
import { accountKeys, addressKey } from '../accounts/sign-in-limits.ts'
import { safeReturnTo } from './return-to.ts'

const service = await startHarness()
const { context } = service
const ada = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
const eve = { name: 'Eve', email: 'eve@example.com', password: 'another long password' }
await service.operator('POST', '/partners', { name: 'Acme', portal_domain: 'acme.test', admin: ada })
await service.operator('POST', '/partners', { name: 'Evil', portal_domain: null, admin: eve })

const browse = (address = '198.51.100.1') => new Browser(service, { host: 'acme.test', address })
const isSignedIn = async (browser: Browser) => (await browser.get('/account')).status === 200
const wrong = { ...ada, password: 'wrong password' }

describe('signing in', () => {
  // First in this file: the hash that unknown emails are verified against is computed once per process.
  it('decision 6.13 an unknown email costs as much work as a wrong password, so the time reveals no account', async () => {
    const cheap = context.passwordCost
    context.passwordCost = { memory: 16_384, passes: 1, parallelism: 1 }
    const grace = { name: 'Grace', email: 'grace@example.com', password: 'correct horse battery' }
    await service.operator('POST', '/partners', { name: 'Slow', portal_domain: null, admin: grace })
    // CPU time of this process, not wall time, which depends on what else the machine does.
    const work = async (email: string) => {
      const start = process.cpuUsage()
      assert.equal((await browse('198.51.100.3').signIn({ email, password: 'wrong password' })).status, 401)
      const { user, system } = process.cpuUsage(start)
      return user + system
    }
    await work('nobody@example.com')
    const known: number[] = []
    const unknown: number[] = []
    for (let n = 0; n < 6; n += 1) {
      known.push(await work(grace.email))
      unknown.push(await work('nobody@example.com'))
    }
    context.passwordCost = cheap
    const [one, other] = [Math.min(...known), Math.min(...unknown)]
    assert.ok(other > one / 2 && other < one * 2, `${other} µs and ${one} µs`)
  })

  it('email and password start a session and redirect to the portal', async () => {
    const browser = browse()
    const page = await browser.get('/sign-in')
    assert.equal(page.status, 200)
    assert.match(page.body, /name="email"/)
    assert.match(page.body, /name="password"/)
    const visit = await browser.signIn({ ...ada, email: ' ADA@example.com' })
    assert.equal(visit.status, 303)
    assert.equal(visit.location, '/')
    assert.ok(await isSignedIn(browser))
    assert.equal((await browser.get('/sign-in?return_to=/devices')).location, '/devices')
  })

  it('a wrong password and an unknown email get the same page', async () => {
    const one = await browse('198.51.100.2').signIn(wrong)
    const other = await browse('198.51.100.2').signIn({ email: 'nobody@example.com', password: 'wrong password' })
    assert.equal(one.status, 401)
    assert.equal(other.status, 401)
    const plain = (body: string) => body.replace(/data-options="[^"]*"/g, '')
    assert.equal(plain(one.body).replaceAll(ada.email, '?'), plain(other.body).replaceAll('nobody@example.com', '?'))
    assert.equal(one.headers['set-cookie'], undefined)
  })

  it('signing out ends the session on the server, not only in the browser', async () => {
    const browser = browse()
    await browser.signIn(ada)
    const { headers } = browser
    await browser.post('/sign-out', {})
    assert.ok(!(await isSignedIn(browser)))
    assert.equal((await service.app.inject({ url: '/account', headers })).statusCode, 303)
  })

  it('session fixation: signing in starts a new session and ends the previous one', async () => {
    const attacker = browse()
    await attacker.signIn(eve)
    const planted = attacker.headers.cookie
    const victim = browse()
    const { headers } = await victim.post('/sign-in', { ...ada, return_to: '/' }, { cookie: planted })
    const [fresh] = String(headers['set-cookie']).split(';')
    assert.ok(!planted.includes(fresh!))
    assert.equal((await service.app.inject({ url: '/account', headers: { cookie: planted } })).statusCode, 303)
  })

  it('CSRF: a sign-in, sign-out or account form from a foreign page is refused', async () => {
    const browser = browse()
    await browser.signIn(ada)
    for (const path of ['/sign-in', '/sign-out', '/account/password', '/account/sign-out-everywhere']) {
      for (const origin of ['https://evil.test', 'null', 'http://acme.test.evil.test', 'http://acme.test:8080', '']) {
        const visit = await browser.post(path, { ...eve }, { origin, 'sec-fetch-site': 'cross-site' })
        assert.equal(visit.status, 403, `${path} from ${origin}`)
        assert.equal(visit.headers['set-cookie'], undefined)
      }
    }
    assert.ok(await isSignedIn(browser))
  })

  it('open redirect: return_to is a path of this host or ignored', async () => {
    for (const value of [
      'https://evil.test/',
      '//evil.test',
      '/\\evil.test',
      '/\t/evil.test',
      '/%0d%0aset-cookie:x\r\nx: y',
      '\\\\evil.test',
      'javascript:alert(1)',
      'evil.test',
      '/a\\b',
      '/ä',
      `/${'a'.repeat(3000)}`,
      '',
      undefined,
    ]) {
      assert.equal(safeReturnTo(value), '/', JSON.stringify(value))
    }
    assert.equal(safeReturnTo('/consent?request=a%20b#c'), '/consent?request=a%20b#c')
    assert.equal((await browse().signIn(ada, '//evil.test/')).location, '/')
    const page = await browse().get(`/sign-in?return_to=${encodeURIComponent('//evil.test')}`)
    assert.ok(!page.body.includes('evil.test'))
  })

  it('XSS: whatever is reflected is escaped', async () => {
    const evil = `"><script>alert(1)</script>`
    const encoded = encodeURIComponent(evil)
    const pages = [
      await browse().get(`/sign-in?login_hint=${encoded}&return_to=/${encoded}&signed_out=${encoded}`),
      await browse().signIn({ email: evil, password: evil }, `/${evil}`),
    ]
    for (const page of pages) assert.ok(!/<script(?! type="module" src="\/pages\/passkeys-)/.test(page.body))
  })

  it('pages cannot be framed, run no script but their own, are not stored, and keep Origin on their forms', async () => {
    const { headers } = await browse().get('/sign-in')
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.match(policy, /form-action 'self'(;|$)/)
    assert.match(policy, /script-src 'self'(;|$)/)
    assert.doesNotMatch(policy, /unsafe/)
    assert.equal(headers['referrer-policy'], 'same-origin')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-content-type-options'], 'nosniff')
  })

  it('no input causes a 5xx: NUL, huge values, repeated fields, another type of body', async () => {
    const browser = browse('198.51.100.9')
    assert.equal((await browser.signIn({ email: 'a\0b@example.com', password: 'x\0' })).status, 401)
    assert.equal((await browser.signIn({ email: 'a'.repeat(9_000), password: 'b'.repeat(9_000) })).status, 401)
    const headers = { ...browser.headers, 'content-type': 'application/json' }
    const json = await service.app.inject({ method: 'POST', url: '/sign-in', headers, payload: '{}' })
    assert.equal(json.statusCode, 400)
    assert.match(String(json.headers['content-type']), /text\/html/)
    const { statusCode } = await service.app.inject({ method: 'POST', url: '/sign-in', headers: browser.headers })
    assert.equal(statusCode, 401)
  })
})

describe('failed attempts', () => {
  const { accountAndAddress, accountAndAddressUnderAttack, account, address } = signInLimits
  const failFrom = async (from: string, times: number, person = wrong) => {
    const statuses: number[] = []
    for (let n = 0; n < times; n += 1) statuses.push((await browse(from).signIn(person)).status)
    return statuses
  }
  const reset = () => service.clock.forward(601)

  it('are limited per account and address; the right password is refused too, until the window has passed', async () => {
    reset()
    const statuses = await failFrom('203.0.113.1', accountAndAddress + 1)
    assert.deepEqual(statuses.slice(-2), [401, 429])
    assert.equal((await browse('203.0.113.1').signIn(ada)).status, 429)
    assert.equal((await browse('203.0.113.2').signIn(ada)).status, 303, 'another address is not concerned')
    service.clock.forward(600)
    assert.equal((await browse('203.0.113.1').signIn(ada)).status, 303)
  })

  it('that arrive all at once: no more than the allowance are verified', async () => {
    reset()
    const visits = await Promise.all(Array.from({ length: 30 }, () => browse('203.0.113.3').signIn(wrong)))
    assert.equal(visits.filter(({ status }) => status === 401).length, accountAndAddress)
  })

  it('an unknown email is limited like a known one', async () => {
    reset()
    const nobody = { email: 'nobody@example.com', password: 'x', name: '' }
    assert.equal((await failFrom('203.0.113.4', accountAndAddress + 1, nobody)).at(-1), 429)
  })

  /** As if so many had failed in this window: to fail for real costs a slow hash each. */
  const pretendVersion = async (key: string, failures: number) => {
    const row = { key, failures, opened_at: service.clock.now() }
    await service.sql`
      insert into sign_in_attempts ${service.sql(row)}
      on conflict (key) do update set failures = excluded.failures, opened_at = excluded.opened_at`
  }

  it('an address that tries many accounts is limited', async () => {
    reset()
    await pretendVersion(addressKey({ account: '', address: '203.0.113.5', browser: null })!, address - 1)
    const statuses: number[] = []
    for (const email of ['u1@example.com', 'u2@example.com']) {
      statuses.push((await browse('203.0.113.5').signIn({ email, password: 'password1234' })).status)
    }
    assert.deepEqual(statuses, [401, 429])
  })

  it('an address over its limit adds no rows, whatever emails it invents', async () => {
    const count = async () => (await service.sql`select count(*)::int as count from sign_in_attempts`)[0]!.count
    const before = await count()
    for (let n = 0; n < 5; n += 1)
      await browse('203.0.113.5').signIn({ email: `made-up-${n}@example.com`, password: 'x' })
    assert.equal(await count(), before)
  })

  it('an account is one account however its email is written', async () => {
    reset()
    const spellings = ['ada@example.com', 'ADA@example.com', ' ada@example.com', 'Ada@Example.COM ']
    const statuses: number[] = []
    for (let n = 0; n <= accountAndAddress; n += 1) {
      statuses.push((await browse('203.0.113.9').signIn({ ...wrong, email: spellings[n % 4]! })).status)
    }
    assert.equal(statuses.at(-1), 429)
  })

  it('right passwords do not count: any number of people sign in from one address', async () => {
    reset()
    for (let n = 0; n < accountAndAddress * 2; n += 1) {
      assert.equal((await browse('203.0.113.6').signIn(ada)).status, 303)
    }
  })

  it('nobody locks an owner out: a known browser has its own allowance, even behind the attacker’s address', async () => {
    reset()
    const owner = browse('203.0.113.7')
    await owner.signIn(ada)
    await owner.post('/sign-out', {})
    assert.equal((await failFrom('203.0.113.7', accountAndAddress + 1)).at(-1), 429)
    assert.equal((await owner.signIn(ada)).status, 303)
  })

  it('nobody locks an owner out: under attack from everywhere a new browser still has a first try', async () => {
    reset()
    const [user] = await service.sql`select id from users where email = ${ada.email}`
    await pretendVersion(accountKeys({ account: user!.id, address: '', browser: null })[1]!, account)
    const strangers = await failFrom('192.0.2.200', accountAndAddressUnderAttack + 1)
    assert.deepEqual(strangers, [...Array(accountAndAddressUnderAttack).fill(401), 429])
    assert.equal((await browse('192.0.2.201').signIn(ada)).status, 303)
  })

  it('a browser known for another account, or with a forged cookie, is unknown', async () => {
    reset()
    const attacker = browse('203.0.113.8')
    await attacker.signIn(eve)
    const statuses: number[] = []
    for (let n = 0; n <= accountAndAddress; n += 1) statuses.push((await attacker.signIn(wrong)).status)
    assert.equal(statuses.at(-1), 429)
    const forged = { cookie: `landbridge-known=${Buffer.alloc(80, 1).toString('base64url')}` }
    assert.equal((await browse('203.0.113.8').post('/sign-in', wrong, forged)).status, 429)
  })
})

describe('account', () => {
  const next = 'a new and longer password'

  it('changing the password ends every session and starts a new one for this browser', async () => {
    service.clock.forward(601)
    const [here, elsewhere] = [browse(), browse()]
    await here.signIn(eve)
    await elsewhere.signIn(eve)
    const before = here.headers
    const change = { password: eve.password, new_password: next, repeated_password: next }
    assert.equal((await here.post('/account/password', { ...change, password: 'wrong' })).status, 401)
    assert.equal((await here.post('/account/password', { ...change, repeated_password: 'other' })).status, 422)
    assert.equal((await here.post('/account/password', change)).status, 200)
    assert.ok(await isSignedIn(here))
    assert.ok(!(await isSignedIn(elsewhere)))
    assert.equal((await service.app.inject({ url: '/account', headers: before })).statusCode, 303)
    assert.equal((await browse().signIn(eve)).status, 401)
    assert.equal((await browse().signIn({ ...eve, password: next })).status, 303)
    const { body } = await service.operator('GET', '/audit-events?type=user.password_changed')
    assert.ok(!JSON.stringify(body).includes(next))
  })

  it('a browser that signed in with an earlier password is no longer known', async () => {
    service.clock.forward(601)
    const attacker = browse('203.0.113.20')
    await attacker.signIn({ ...eve, password: next })
    const browser = browse()
    await browser.signIn({ ...eve, password: next })
    for (const [password, wanted] of [
      [next, 'in between it is this'],
      ['in between it is this', next],
    ] as const) {
      const change = { password, new_password: wanted, repeated_password: wanted }
      assert.equal((await browser.post('/account/password', change)).status, 200)
    }
    for (let n = 0; n < signInLimits.accountAndAddress; n += 1) {
      await browse('203.0.113.20').signIn({ ...eve, password: 'a wrong one' })
    }
    assert.equal((await attacker.signIn({ ...eve, password: 'another guess' })).status, 429)
  })

  it('two changes at once: one wins', async () => {
    const browsers = [browse(), browse()]
    for (const browser of browsers) await browser.signIn({ ...eve, password: next })
    const visits = await Promise.all(
      browsers.map((browser, n) => {
        const wanted = `password number ${n} it is`
        const change = { password: next, new_password: wanted, repeated_password: wanted }
        return browser.post('/account/password', change)
      }),
    )
    assert.deepEqual(visits.map(({ status }) => status === 200).toSorted(), [false, true])
  })

  it('sign out everywhere', async () => {
    const [here, elsewhere] = [browse(), browse()]
    await here.signIn(ada)
    await elsewhere.signIn(ada)
    await here.post('/account/sign-out-everywhere', {})
    assert.ok(!(await isSignedIn(here)))
    assert.ok(!(await isSignedIn(elsewhere)))
  })
})
