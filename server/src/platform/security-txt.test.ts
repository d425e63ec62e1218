import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHarness } from '../../../test/support/harness.ts'

async function read(environment: Record<string, string>) {
  const { app, clock } = await startHarness(environment)
  const { statusCode, headers, body } = await app.inject('/.well-known/security.txt')
  const fields = Object.fromEntries(
    body
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/: (.*)/, 2)),
  )
  return { statusCode, type: headers['content-type'], fields, now: clock.now() }
}

describe('RFC 9116: /.well-known/security.txt', () => {
  it('names the mailbox of RFC 2142 at the public host, and is valid for less than a year', async () => {
    const { statusCode, type, fields, now } = await read({})
    assert.deepEqual([statusCode, type], [200, 'text/plain; charset=utf-8'])
    assert.equal(fields.Contact, 'mailto:security@landbridge.test')
    assert.equal(fields.Canonical, 'http://landbridge.test/.well-known/security.txt')
    const days = (Date.parse(fields.Expires) - now.getTime()) / 86_400_000
    assert.ok(days > 30 && days < 365, fields.Expires)
  })

  it('names the contact that the operator has set', async () => {
    const { fields } = await read({ LANDBRIDGE_SECURITY_CONTACT: 'https://example.com/report' })
    assert.equal(fields.Contact, 'https://example.com/report')
  })
})
