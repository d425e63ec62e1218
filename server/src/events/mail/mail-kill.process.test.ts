// kill -9 between the commit and the delivery: a mail is sent once or twice, never not at all.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createDatabase, whenDone } from '../../../../test/support/database.ts'
import { freePort } from '../../../../test/support/free-port.ts'
import { operatorKey } from '../../../../test/support/keys.ts'
import { startMailServer } from '../../../../test/support/mail-server.ts'
import { onDatabase, type Service, startService } from '../../../../test/support/service.ts'
import { until } from '../../../../test/support/until.ts'
import { openDatabase } from '../../platform/database/database.ts'

const databaseUrl = await createDatabase()
const sql = openDatabase({ url: databaseUrl, max: 1 })
whenDone(() => sql.end({ timeout: 1 }))
const port = await freePort()
const env = {
  ...onDatabase(databaseUrl),
  LANDBRIDGE_MAIL_URL: `smtp://127.0.0.1:${port}`,
  LANDBRIDGE_MAIL_FROM: 'no-reply@example.com',
}
const start = async () => {
  const service = await startService({ env })
  after(() => service.kill())
  return service
}

/** A change that causes a mail; returns its address. */
async function addPartner({ ready }: Service, name: string): Promise<string> {
  const email = `${name}@example.com`
  const response = await fetch(`${ready.public_url}/core/v1/operator/partners`, {
    method: 'POST',
    headers: { authorization: operatorKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: `Partner ${name}`,
      portal_domain: `${name}.example.com`,
      admin: { name, email, password: 'correct horse battery' },
    }),
  })
  assert.ok(response.status < 300, await response.text())
  return email
}

const queued = async () => (await sql`select from mails where state = 'queued'`).length
/** As if the time of the lease had passed. */
const endLeases = () => sql`update mails set next_attempt_at = now() where state = 'queued'`

describe('kill -9 between the commit and the delivery', () => {
  it('before an attempt, in the middle of one, and after the mail was taken', async () => {
    const first = await start()
    const before = await addPartner(first, 'before')
    assert.equal(await queued(), 1, 'nobody listens there')
    await first.kill()

    const server = await startMailServer({}, '127.0.0.1', port)
    const got = (to: string) => server.got.filter((mail) => mail.to.includes(to))
    await endLeases()
    const second = await start()
    await until(async () => (await queued()) === 0, 'the mail of the killed process')
    assert.equal(got(before).length, 1)

    const held = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    server.onRecipient = () => {
      reached.resolve()
      return held.promise
    }
    const middle = await addPartner(second, 'middle')
    await reached.promise
    await second.kill()
    server.onRecipient = () => {}
    held.resolve()

    await endLeases()
    const third = await start()
    await until(async () => (await queued()) === 0, 'the mail whose attempt was cut off')
    assert.equal(got(middle).length, 1)

    // Taken by the server, but the process dies before it hears so: it is sent again, under the same id.
    const taken = Promise.withResolvers<void>()
    server.onMail = async (mail) => {
      server.got.push(mail)
      taken.resolve()
      await new Promise(() => {})
    }
    const twice = await addPartner(third, 'twice')
    await taken.promise
    await third.kill()
    server.onMail = () => {}
    await endLeases()
    await start()
    await until(async () => (await queued()) === 0, 'the mail that is sent twice')
    const ids = got(twice).map(({ raw }) => /^Message-ID: (.+)\r$/im.exec(raw)![1])
    assert.deepEqual([ids.length, new Set(ids).size], [2, 1])
  })
})
