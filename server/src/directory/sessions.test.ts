import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runJob } from '../platform/jobs.ts'
import { digest } from '../platform/secrets/secrets.ts'
import { startHarness } from '../testing/harness.ts'
import { forgetSessions } from './expiry.ts'
import { endSession, endSessionsOf, peekSession, readSession, sessionCookie, startSession } from './sessions.ts'

const service = await startHarness()
const { context, sql, clock } = service
const admin = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
await service.operator('POST', '/partners', { name: 'Acme', portal_domain: null, admin })
const [user] = await sql<{ id: string }[]>`select id from users`

async function open(): Promise<string> {
  return sessionCookie(context, (await startSession(context, sql, { user_id: user!.id }))!).split(';')[0]!
}
const hours = (count: number) => count * 3600

describe('sessions', () => {
  it('a session says who signed in and when; only its digest is stored', async () => {
    const secret = (await startSession(context, sql, { user_id: user!.id }))!
    const session = await readSession(context, `other=1; landbridge=${secret}`)
    assert.equal(session?.email, admin.email)
    assert.deepEqual(session?.signed_in_at, clock.now())
    const rows = await sql<{ digest: Buffer }[]>`select * from sessions`
    assert.ok(rows.some((row) => row.digest.equals(digest(secret))))
    assert.ok(!JSON.stringify(rows).includes(secret))
  })

  it('no cookie, another cookie and a made-up one are nobody', async () => {
    for (const cookies of [undefined, '', 'a=b', 'landbridge=', 'landbridge=lbw_nonsense', 'landbridge=%']) {
      assert.equal(await readSession(context, cookies), null)
    }
  })

  it('12 h idle end it, and being seen within them does not', async () => {
    const cookie = await open()
    clock.forward(hours(12) - 1)
    assert.ok(await readSession(context, cookie))
    clock.forward(hours(12) - 1)
    assert.ok(await readSession(context, cookie))
    clock.forward(hours(12))
    assert.equal(await readSession(context, cookie), null)
  })

  it('a peek tells whose it is, and does not keep it alive', async () => {
    const cookie = await open()
    clock.forward(hours(12) - 1)
    assert.equal((await peekSession(context, cookie))?.user_id, user!.id)
    clock.forward(1)
    assert.equal(await peekSession(context, cookie), null)
  })

  it('7 days end it, however busy it is', async () => {
    const cookie = await open()
    for (let hour = 0; hour < 7 * 24 - 1; hour += 1) {
      clock.forward(hours(1))
      assert.ok(await readSession(context, cookie), `after ${hour + 1} h`)
    }
    clock.forward(hours(1))
    assert.equal(await readSession(context, cookie), null)
  })

  it('last_seen_at is written once a minute, not once a request', async () => {
    const cookie = await open()
    const seen = async () => {
      const session = await readSession(context, cookie)
      const [row] = await sql`select last_seen_at from sessions where digest = ${session!.digest}`
      return row!.last_seen_at.getTime()
    }
    const first = await seen()
    clock.forward(59)
    assert.equal(await seen(), first)
    clock.forward(1)
    assert.equal(await seen(), first + 60_000)
  })

  it('one is ended, or all of a person', async () => {
    const [one, two, three] = [await open(), await open(), await open()]
    await endSession(context, (await readSession(context, one))!)
    assert.equal(await readSession(context, one), null)
    assert.ok(await readSession(context, two))
    assert.ok((await endSessionsOf(sql, user!.id)) >= 2)
    assert.equal(await readSession(context, two), null)
    assert.equal(await readSession(context, three), null)
  })

  it('ended sessions are swept, live ones are not', async () => {
    await endSessionsOf(sql, user!.id)
    await open()
    clock.forward(hours(12) + 1)
    const live = await open()
    await runJob(sql, forgetSessions(context))
    const [left] = await sql`select count(*)::int as count from sessions`
    assert.equal(left!.count, 1)
    assert.ok(await readSession(context, live))
  })

  it('over https the cookie is __Host-, Secure, HttpOnly and Lax', () => {
    const https = { ...context, addresses: { ...context.addresses, publicUrl: 'https://landbridge.test' } }
    assert.equal(
      sessionCookie(https, 'lbw_x'),
      '__Host-landbridge=lbw_x; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax; Secure',
    )
  })
})
