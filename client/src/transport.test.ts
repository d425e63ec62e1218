import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Application, DeviceModel, memoryTokenStore, NetworkError, Partner } from './index.ts'

const backoff = { attempts: 3, firstDelayMs: 1, longestDelayMs: 2 }

interface Seen {
  address: string
  key: string | undefined
}

/** A service that responds with these, one after the other, and then always with the last. */
function responding(...responses: (() => Response)[]) {
  const seen: Seen[] = []
  const request: typeof fetch = async (input, init) => {
    const { 'idempotency-key': key } = init!.headers as Record<string, string>
    seen.push({ address: `${init!.method} ${input}`, key })
    return (responses.length > 1 ? responses.shift()! : responses[0]!)()
  }
  const partner = new Partner({ url: 'https://service.test//', apiKey: 'k', backoff, fetch: request })
  return { seen, partner, request }
}

const page = (status: number) => () => new Response('<html>', { status })
const json = (status: number, body: object) => () => Response.json(body, { status, headers: { 'x-request-id': 'r1' } })
const lost = () => {
  throw new TypeError('fetch failed', { cause: new Error('socket hang up') })
}

describe('partner kit: what is repeated', () => {
  for (const [what, response] of Object.entries({ 'a 502 of a proxy': page(502), 'no response': lost })) {
    it(`${what}: reading, replacing and deleting, and creating with one key; a change is not`, async () => {
      const { seen, partner } = responding(response)
      await assert.rejects(partner.models.get('m'))
      assert.equal(seen.length, 3)
      await assert.rejects(partner.webhooks.delete('w'))
      assert.equal(seen.length, 6)
      await assert.rejects(partner.models.create({ name: 'M', authentication_method: 'MAC & Serial Number' }))
      assert.equal(seen.length, 9)
      const [key, ...others] = new Set(seen.slice(6).map((each) => each.key))
      assert.match(key!, /^[0-9a-f-]{36}$/)
      assert.deepEqual(others, [])
      await assert.rejects(partner.models.update('m', { name: 'M' }))
      assert.equal(seen.length, 10)
    })
  }

  it('429: anything, since nothing was done', async () => {
    const { seen, partner } = responding(json(429, { error: 'Too many.', code: 'too_many_requests' }), json(200, {}))
    await partner.models.update('m', { name: 'M' })
    assert.equal(seen.length, 2)
  })

  it('the token endpoint: 500 server_error, which uses nothing up; no other failure', async () => {
    const finish = async (...responses: (() => Response)[]) => {
      const { seen, request } = responding(...responses)
      const application = new Application({
        url: 'https://service.test/',
        clientId: 'c',
        clientSecret: 's',
        redirectUri: 'https://app.test/callback',
        store: memoryTokenStore(),
        backoff,
        fetch: request,
      })
      const { pending } = await application.begin()
      const callback = `/callback?code=c&state=${pending.state}&iss=https://service.test`
      const error = await application.finish(callback, pending).catch((error) => error)
      return [error.code, error.status, error.requestId, seen.length]
    }
    const busy = json(500, { error: 'server_error', error_description: 'No key.' })
    assert.deepEqual(await finish(busy, busy, json(400, { error: 'invalid_grant' })), ['invalid_grant', 400, 'r1', 3])
    assert.deepEqual(await finish(page(502)), ['unexpected', 502, null, 1])
    assert.deepEqual(await finish(lost), ['network_error', null, null, 1])
  })

  it('an error has status, code, request id and cause; addresses may end with slashes', async () => {
    const { seen, partner, request } = responding(json(404, { error: 'There is no such model.', code: 'not_found' }))
    await assert.rejects(partner.models.get('m'), { status: 404, code: 'not_found', requestId: 'r1' })
    const model = new DeviceModel({ entryUrl: 'https://entry.test///', modelId: 'm', hardwareKey: 'h', fetch: request })
    await assert.rejects(model.register({ mac: 'm', sn: 's', firmware_version: '1.0.0' }), { status: 404 })
    const device = { id: 'd', access_key: 'k', hub_url: 'https://hub.test/' }
    await assert.rejects(model.send(device, { status: 'online', telemetries: {} }), { status: 404 })
    assert.deepEqual(
      seen.map(({ address }) => address),
      [
        'GET https://service.test/core/v1/partner/models/m',
        'POST https://entry.test/v1/devices',
        'POST https://hub.test/v1/devices/d/telemetry',
      ],
    )
    await assert.rejects(responding(lost).partner.models.get('m'), (error: NetworkError) => {
      assert.ok(error instanceof NetworkError)
      assert.ok(error.cause instanceof TypeError)
      return error.message.includes('socket hang up')
    })
  })

  it('in a browser it says why not', () => {
    const versions = process.versions
    Object.assign(globalThis, { document: {} })
    try {
      new Partner({ url: 'https://service.test', apiKey: 'k' })
      Object.defineProperty(process, 'versions', { value: {}, configurable: true })
      assert.throws(() => new Partner({ url: 'https://service.test', apiKey: 'k' }), { code: 'browser' })
    } finally {
      Object.defineProperty(process, 'versions', { value: versions, configurable: true })
      Reflect.deleteProperty(globalThis, 'document')
    }
  })
})
