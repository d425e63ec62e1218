import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { describe, it } from 'node:test'
import pino from 'pino'
import { createHttp } from './server.ts'

/** The warnings that so many requests cause. */
async function warningsOf(trustProxy: string[], headers: Record<string, string>, requests = 5): Promise<string[]> {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const app = createHttp({
    log: pino({ level: 'warn' }, stream),
    trustProxy,
    secure: false,
    lifecycle: { draining: false, retiring: false },
  })
  app.get('/', async () => ({}))
  for (let n = 0; n < requests; n += 1) await app.inject({ url: '/', headers, remoteAddress: '192.0.2.1' })
  await app.close()
  return lines
}

/** Whose request it is, with 192.0.2.0/24 trusted. */
async function addressOf(remoteAddress: string, forwarded: string): Promise<string> {
  const app = createHttp({
    log: pino({ level: 'silent' }),
    trustProxy: ['192.0.2.0/24'],
    secure: false,
    lifecycle: { draining: false, retiring: false },
  })
  app.get('/', async ({ ip }) => ip)
  const { body } = await app.inject({ url: '/', remoteAddress, headers: { 'x-forwarded-for': forwarded } })
  await app.close()
  return body
}

describe('decision 6.23: whose request it is behind a trusted proxy', () => {
  for (const [title, remoteAddress, forwarded, expected] of [
    ['the address that the proxy forwards', '192.0.2.1', '203.0.113.7', '203.0.113.7'],
    ['the same when the proxy connects over IPv6', '::ffff:192.0.2.1', '203.0.113.7', '203.0.113.7'],
    ['not one that the caller made up', '192.0.2.1', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['the address before two trusted proxies', '192.0.2.1', '203.0.113.7, 192.0.2.9', '203.0.113.7'],
    ['of a proxy that is not trusted, its own', '198.51.100.9', '203.0.113.7', '198.51.100.9'],
    ['of a header without an address, its text', '192.0.2.1', 'unknown', 'unknown'],
  ] as const) {
    it(title, async () => assert.equal(await addressOf(remoteAddress, forwarded), expected))
  }
})

describe('decision 6.23: X-Forwarded-For from an address that is not trusted', () => {
  const forwarded = { 'x-forwarded-for': '203.0.113.7' }

  it('is logged once, not once per request, with the name of the setting', async () => {
    const warnings = await warningsOf([], forwarded)
    assert.equal(warnings.length, 1)
    assert.match(warnings[0]!, /192\.0\.2\.1.*LANDBRIDGE_TRUST_PROXY/)
    assert.equal((await warningsOf(['198.51.100.0/24'], forwarded)).length, 1)
  })

  it('a trusted proxy, and a caller without the header, cause no warning', async () => {
    assert.deepEqual(await warningsOf(['192.0.2.0/24'], forwarded), [])
    assert.deepEqual(await warningsOf([], {}), [])
  })
})
