import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'

const service = await startHarness({ LANDBRIDGE_SESSION_IDLE_HOURS: '2', LANDBRIDGE_SESSION_DAYS: '1' })
const { sql, clock } = service
const password = 'correct horse battery'
const ada = { name: 'Ada', email: 'ada@example.com', password }
const eve = { name: 'Eve', email: 'eve@example.com', password }
await service.operator('POST', '/partners', { name: 'Acme', portal_domain: 'portal.acme.test', admin: ada })
await service.operator('POST', '/partners', { name: 'Other', portal_domain: null, admin: eve })

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

async function open(person: typeof ada, { host, userAgent }: { host?: string; userAgent?: string } = {}) {
  const browser = new Browser(service, host ? { host } : {})
  const { email } = person
  const headers: Record<string, string> = userAgent ? { 'user-agent': userAgent } : {}
  assert.equal((await browser.post('/sign-in', { email, password }, headers)).status, 303)
  return browser
}

async function idsIn(browser: Browser): Promise<string[]> {
  const { body } = await browser.get('/account')
  return [...body.matchAll(/name="id" value="([^"]+)"/g)].map(([, id]) => id!)
}

const isIn = async (browser: Browser) => (await browser.get('/account')).status === 200

async function lastEvent() {
  const [event] = await sql<{ type: string; details: Record<string, unknown> }[]>`
    select type, details from audit_events order by id desc limit 1`
  return event!
}

describe('the sessions of a person', () => {
  it('the page lists them in plain words; the one that asks is first and cannot be ended by its row', async () => {
    await open(ada, { userAgent: firefox })
    clock.forward(3_600)
    const here = await open(ada, { userAgent: '<b>x</b>' })
    const { body } = await here.get('/account')
    const rows = body.slice(body.indexOf('<ul class="rows">'), body.indexOf('</ul>')).split('<li>').slice(1)
    assert.equal(rows.length, 2)
    assert.match(rows[0]!, /Unknown browser.*This browser/s)
    assert.doesNotMatch(rows[0]!, /name="id"|<b>/)
    assert.match(rows[1]!, /Firefox on Linux.*last used .*1 hour ago.*signed in .*1 hour ago.*name="id"/s)
    assert.doesNotMatch(rows[1]!, /landbridge\.test/, 'the host is shown only where there are several')
    const elsewhere = await open(ada, { host: 'portal.acme.test' })
    assert.match((await elsewhere.get('/account')).body, /portal\.acme\.test.*· landbridge\.test/s)
    await here.post('/account/sign-out-everywhere', {})
  })

  it('one is ended by its id, and the event says which', async () => {
    const [here, other, third] = [await open(ada), await open(ada), await open(ada)]
    const [row] = await sql<{ id: string }[]>`
      select id from sessions order by signed_in_at, ctid desc offset 1 limit 1`
    const before = await idsIn(here)
    assert.equal(before.length, 2)
    assert.ok(before.includes(row!.id))
    const { body } = await here.post('/account/sessions/end', { id: row!.id })
    assert.match(body, /The session has ended\./)
    assert.deepEqual(
      await idsIn(here),
      before.filter((id) => id !== row!.id),
    )
    const left = [await isIn(other), await isIn(third)].filter(Boolean)
    assert.equal(left.length, 1)
    assert.ok(await isIn(here))
    const { type, details } = await lastEvent()
    assert.deepEqual([type, details.session_id], ['session.ended', row!.id])
    await here.post('/account/sign-out-everywhere', {})
  })

  it('twice at once, of somebody else, unknown or malformed: nothing else ends', async () => {
    const [here, other, foreign] = [await open(ada), await open(ada), await open(eve)]
    const [theirs] = await sql<{ id: string }[]>`
      select sessions.id from sessions join users on users.id = user_id where email = ${eve.email}`
    const [mine] = await idsIn(here)
    for (const id of [theirs!.id, crypto.randomUUID(), '', "' or true", `${mine}x`, 'x'.repeat(9_000)]) {
      const { status, body } = await here.post('/account/sessions/end', { id })
      assert.equal(status, 200)
      assert.match(body, /already ended/)
    }
    assert.ok((await isIn(foreign)) && (await isIn(other)))
    const both = await Promise.all([1, 2].map(() => here.post('/account/sessions/end', { id: mine! })))
    assert.equal(both.filter(({ body }) => body.includes('The session has ended.')).length, 1)
    const [events] = await sql<{ count: number }[]>`
      select count(*)::int from audit_events where details->>'session_id' = ${mine!}`
    assert.equal(events!.count, 1)
    await here.post('/account/sign-out-everywhere', {})
  })

  it('all others end, on every host, and this one stays', async () => {
    const [here, other, elsewhere] = [await open(ada), await open(ada), await open(ada, { host: 'portal.acme.test' })]
    const foreign = await open(eve)
    assert.match((await here.post('/account/sessions/end-others', {})).body, /2 other sessions have ended\./)
    assert.deepEqual([await isIn(here), await isIn(other), await isIn(elsewhere)], [true, false, false])
    assert.ok(await isIn(foreign))
    assert.deepEqual([(await lastEvent()).type, (await lastEvent()).details.sessions], ['session.others_ended', 2])
    assert.match((await here.post('/account/sessions/end-others', {})).body, /There was no other session\./)
  })

  it('a person who signs in for the first time, in many browsers at once, is signed in in all of them', async () => {
    const person = { name: 'Kim', email: 'kim@example.com', password }
    await service.operator('POST', '/partners', { name: 'Third', portal_domain: null, admin: person })
    const browsers = await Promise.all(Array.from({ length: 8 }, () => open(person)))
    for (const browser of browsers) assert.ok(await isIn(browser))
  })

  it('only from a page of the same host, and only by who is signed in', async () => {
    const here = await open(ada)
    for (const path of ['/account/sessions/end', '/account/sessions/end-others']) {
      const headers = { ...here.headers, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
      const payload = new URLSearchParams({ id: crypto.randomUUID() }).toString()
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const response = await service.app.inject({
        method: 'POST',
        url: path,
        headers: { ...headers, ...type },
        payload,
      })
      assert.equal(response.statusCode, 403, path)
      assert.equal((await new Browser(service).post(path, {})).status, 303, path)
    }
  })
})

describe('decision 6.64: how long a session lasts is a setting', () => {
  it('idle, in all, in the cookie and in the list', async () => {
    const browser = await open(ada)
    const signIn = await service.app.inject({
      method: 'POST',
      url: '/sign-in',
      headers: { ...new Browser(service).headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ email: ada.email, password }).toString(),
    })
    assert.match(String(signIn.headers['set-cookie']), /landbridge=lbw_[^;]+; Max-Age=86400;/)
    for (let hour = 0; hour < 23; hour += 1) {
      clock.forward(3_600)
      assert.ok(await isIn(browser), `after ${hour + 1} h`)
    }
    assert.deepEqual(await idsIn(browser), [], 'the one that nobody used for two hours is not listed')
    clock.forward(3_600)
    assert.equal(await isIn(browser), false, 'a day in all')
    const idle = await open(ada)
    clock.forward(2 * 3_600)
    assert.equal(await isIn(idle), false, 'two hours without a request')
  })
})
