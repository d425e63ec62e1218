import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHarness } from '../../../../test/support/harness.ts'
import { runJob } from '../../platform/jobs.ts'
import { digest } from '../../platform/secrets/secrets.ts'
import { deleteExpiredSessionsJob } from './session-expiry.ts'
import {
  endSession,
  endSessionsOf,
  type PresentedSession,
  peekSession,
  readSession,
  sessionCookie,
  startSession,
} from './sessions.ts'

const service = await startHarness()
const { context, sql, clock } = service
const admin = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
await service.operator('POST', '/partners', { name: 'Acme', portal_domain: null, admin })
const [user] = await sql<{ id: string }[]>`select id from users`

const host = 'landbridge.test'

async function open(at = host): Promise<PresentedSession> {
  const secret = await startSession(context, sql, { user_id: user!.id, host: at })
  return { host: at, cookies: sessionCookie(context, secret!).split(';')[0]! }
}
const hours = (count: number) => count * 3600

describe('sessions', () => {
  it('a session says who signed in and when; only its digest is stored', async () => {
    const secret = (await startSession(context, sql, { user_id: user!.id, host }))!
    const session = await readSession(context, { host, cookies: `other=1; landbridge=${secret}` })
    assert.equal(session?.email, admin.email)
    assert.deepEqual(session?.signed_in_at, clock.now())
    const rows = await sql<{ digest: Buffer }[]>`select * from sessions`
    assert.ok(rows.some((row) => row.digest.equals(digest(secret))))
    assert.ok(!JSON.stringify(rows).includes(secret))
  })

  it('decision 10.24: of more than 100 sessions of a person, the one that was not used for longest ends', async () => {
    await endSessionsOf(sql, user!.id)
    const first = await open()
    const oldest = await open()
    clock.forward(120)
    assert.ok(await readSession(context, first))
    for (let n = 0; n < 99; n += 1) await open()
    assert.ok(await readSession(context, first))
    assert.equal(await readSession(context, oldest), null)
    assert.equal((await sql`select from sessions where user_id = ${user!.id}`).length, 100)
    await endSessionsOf(sql, user!.id)
  })

  it('no cookie, another cookie and an invented one are no session', async () => {
    for (const cookies of [undefined, '', 'a=b', 'landbridge=', 'landbridge=lbw_nonsense', 'landbridge=%']) {
      assert.equal(await readSession(context, { host, cookies }), null)
    }
  })

  it('decision 6.13 12 idle hours end it; any use starts them again', async () => {
    const presented = await open()
    clock.forward(hours(12) - 1)
    assert.ok(await readSession(context, presented))
    clock.forward(hours(12) - 1)
    assert.ok(await readSession(context, presented))
    clock.forward(hours(12))
    assert.equal(await readSession(context, presented), null)
  })

  it('peeking returns the session and does not count as use', async () => {
    const presented = await open()
    clock.forward(hours(12) - 1)
    assert.equal((await peekSession(context, presented))?.user_id, user!.id)
    clock.forward(1)
    assert.equal(await peekSession(context, presented), null)
  })

  it('decision 6.13 7 days end it, however much it is used', async () => {
    const presented = await open()
    for (let hour = 0; hour < 7 * 24 - 1; hour += 1) {
      clock.forward(hours(1))
      assert.ok(await readSession(context, presented), `after ${hour + 1} h`)
    }
    clock.forward(hours(1))
    assert.equal(await readSession(context, presented), null)
  })

  it('last_seen_at is written once per minute, not once per request', async () => {
    const presented = await open()
    const seen = async () => {
      const session = await readSession(context, presented)
      const [row] = await sql`select last_seen_at from sessions where digest = ${session!.digest}`
      return row!.last_seen_at.getTime()
    }
    const first = await seen()
    clock.forward(59)
    assert.equal(await seen(), first)
    clock.forward(1)
    assert.equal(await seen(), first + 60_000)
  })

  it('one session ends, or all of a person', async () => {
    const [one, two, three] = [await open(), await open(), await open()]
    await endSession(context, (await readSession(context, one))!)
    assert.equal(await readSession(context, one), null)
    assert.ok(await readSession(context, two))
    assert.ok((await endSessionsOf(sql, user!.id)) >= 2)
    assert.equal(await readSession(context, two), null)
    assert.equal(await readSession(context, three), null)
  })

  it('expired sessions are deleted, live ones are not', async () => {
    await endSessionsOf(sql, user!.id)
    await open()
    clock.forward(hours(12) + 1)
    const live = await open()
    await runJob(sql, deleteExpiredSessionsJob(context))
    const [left] = await sql`select count(*)::int as count from sessions`
    assert.equal(left!.count, 1)
    assert.ok(await readSession(context, live))
  })

  it('decision 6.7 a session is bound to the host it was started on; elsewhere its cookie is no session', async () => {
    const { cookies } = await open('portal.acme.test:8080')
    const table: [host: string, signedIn: boolean][] = [
      ['portal.acme.test:8080', true],
      ['PORTAL.acme.test:8080', true],
      // A browser carries a cookie to every port of a host, and a second process may listen on another one.
      ['portal.acme.test:8081', true],
      ['portal.acme.test', true],
      ['landbridge.test', false],
      ['portal.other.test:8080', false],
      ['acme.test:8080', false],
      ['sub.portal.acme.test:8080', false],
      ['portal.acme.test.:8080', false],
      ['user@portal.other.test', false],
      ['', false],
      ['a b', false],
      ['[::1', false],
    ]
    for (const [at, signedIn] of table) {
      for (const read of [readSession, peekSession]) {
        assert.equal((await read(context, { host: at, cookies })) !== null, signedIn, JSON.stringify(at))
      }
    }
    for (const [here, there] of [
      ['localhost:8080', '127.0.0.1:8080'],
      ['127.0.0.1:8080', 'localhost:8080'],
      ['[::1]:8080', 'localhost:8080'],
    ] as const) {
      const presented = await open(here)
      assert.ok(await readSession(context, presented), here)
      assert.equal(await readSession(context, { ...presented, host: there }), null, there)
    }
  })

  it('decision 6.7 no session starts when the Host header names no host', async () => {
    for (const bad of ['', 'a b', '[::1']) {
      await assert.rejects(startSession(context, sql, { user_id: user!.id, host: bad }), { status: 400 })
    }
  })

  it('over https the cookie is __Host-, Secure, HttpOnly and Lax', () => {
    const https = { ...context, addresses: { ...context.addresses, publicUrl: 'https://landbridge.test' } }
    assert.equal(
      sessionCookie(https, 'lbw_x'),
      '__Host-landbridge=lbw_x; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax; Secure',
    )
  })
})
