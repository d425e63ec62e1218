import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { freePort } from '../../test/support/free-port.ts'
import { delayAfterLimit } from './backoff.ts'
import { Application, DeviceModel, memoryTokenStore, NetworkError, Partner, usualBackoff } from './index.ts'
import { version } from './version.ts'

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
const failed = (code: string) => () => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
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

  it('429 of the OAuth endpoints has no Retry-After: waited out for as long as its window, whatever `attempts` is', async () => {
    const limited = json(429, { error: 'Too many requests' })
    const waiting = { attempts: 1, firstDelayMs: 1, longestDelayMs: 8, limitedMs: 10_000 }
    const { seen, request } = responding(...Array.from({ length: 9 }, () => limited), json(200, {}))
    const partner = new Partner({ url: 'https://service.test', apiKey: 'k', backoff: waiting, fetch: request })
    await partner.models.update('m', { name: 'M' })
    assert.equal(seen.length, 10)

    const always = new Partner({
      url: 'https://service.test',
      apiKey: 'k',
      backoff: { ...waiting, limitedMs: 40 },
      fetch: responding(limited).request,
    })
    const since = Date.now()
    await assert.rejects(always.info.get(), { code: 'too_many_requests', status: 429, retryAfterSeconds: null })
    assert.ok(Date.now() - since >= 40)
  })

  it('429 with Retry-After: as asked, or at once an error that says when', async () => {
    const asking = (retryAfter: string) => () =>
      Response.json(
        { error: 'Too many.', code: 'too_many_requests' },
        { status: 429, headers: { 'retry-after': retryAfter } },
      )
    const began = Date.now()
    await responding(asking('1'), json(200, {})).partner.info.get()
    assert.ok(Date.now() - began >= 1_000)
    const { seen, partner } = responding(asking('61'))
    await assert.rejects(partner.info.get(), { code: 'too_many_requests', retryAfterSeconds: 61 })
    assert.equal(seen.length, 1)
    const date = new Date(Date.now() + 90_000).toUTCString()
    await assert.rejects(responding(asking(date)).partner.info.get(), ({ retryAfterSeconds }) => {
      return retryAfterSeconds > 80 && retryAfterSeconds <= 90
    })
  })

  it('the waits after 429 grow with jitter, and the last one ends after the window', () => {
    for (let round = 0; round < 200; round += 1) {
      let waited = 0
      for (let refusals = 0; ; refusals += 1) {
        const delay = delayAfterLimit(usualBackoff, refusals, waited, 0)
        if (delay === null) break
        assert.ok(delay >= 0 && delay <= 30_000)
        waited += delay
        assert.ok(refusals < 60)
      }
      assert.ok(waited >= 60_000 && waited <= 61_000, String(waited))
    }
  })

  for (const code of ['ECONNREFUSED', 'EAI_AGAIN', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT']) {
    it(`${code}: anything, since nothing was sent`, async () => {
      const { seen, partner } = responding(failed(code), failed(code), json(200, {}))
      await partner.models.update('m', { name: 'M' })
      assert.equal(seen.length, 3)
    })
  }

  for (const code of ['ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE']) {
    it(`${code}: no change, since it may have been sent`, async () => {
      const { seen, partner } = responding(failed(code))
      await assert.rejects(partner.models.update('m', { name: 'M' }), { code: 'network_error' })
      assert.equal(seen.length, 1)
    })
  }

  it('a real port where nobody listens yet: the token endpoint is asked again, and the code is not lost', async () => {
    const port = await freePort()
    const application = new Application({
      url: `http://127.0.0.1:${port}`,
      clientId: 'c',
      clientSecret: 's',
      redirectUri: 'https://app.test/callback',
      store: memoryTokenStore(),
      backoff: { attempts: 9, firstDelayMs: 50, longestDelayMs: 100 },
    })
    const { pending } = await application.begin()
    const finished = application.finish(`/c?code=c&state=${pending.state}&iss=http://127.0.0.1:${port}`, pending)
    const server = createServer((request, response) => {
      assert.equal(request.headers['user-agent'], `landbridge-client/${version}`)
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}')
    })
    setTimeout(() => server.listen(port, '127.0.0.1'), 60)
    await assert.rejects(finished, { code: 'invalid_grant' })
    server.close()
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

  it('what a proxy says in JSON is no code of the service', async () => {
    const bodies = [{ message: 'Unauthorized' }, { error: 'Bad Gateway' }, { code: 'BAD_REQUEST' }, { code: 16 }, []]
    for (const body of bodies) {
      const { partner } = responding(json(403, body))
      await assert.rejects(partner.info.get(), { code: 'unexpected', status: 403 }, JSON.stringify(body))
    }
    const sentences = { 'Too many requests': 'too_many_requests', 'Not authorized': 'not_authorized' }
    for (const [error, code] of Object.entries(sentences)) {
      await assert.rejects(responding(json(403, { error })).partner.info.get(), { code, message: error })
    }
  })

  it('every request has the version of the kit, which is that of the package and of the service', async () => {
    const packages = await Promise.all(
      ['../package.json', '../../package.json', '../../server/package.json'].map(async (path) =>
        JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8')),
      ),
    )
    for (const each of packages) assert.equal(each.version, version, each.name)
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
