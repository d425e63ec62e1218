import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { pino } from 'pino'
import { startHarness } from '../../../../test/support/harness.ts'
import { operatorKey } from '../../../../test/support/keys.ts'
import { createHttp } from '../http/server.ts'
import { version } from '../version.ts'
import { referencePage } from './reference-page.ts'

const service = await startHarness()

async function get(url: string, headers: Record<string, string> = {}) {
  return await service.app.inject({ url, headers })
}

describe('what the service says about itself', () => {
  it('/openapi.json describes the routes, each in its chapter with its credentials', async () => {
    const document = await get('/openapi.json')
    const { paths, openapi } = document.json()
    assert.match(openapi, /^3\.1/)
    const list = paths['/core/v1/operator/partners'].get
    assert.deepEqual(list.security[0], { operatorKey: [] })
    const tagged = Object.values(paths as Record<string, Record<string, { tags?: string[] }>>).flatMap(Object.values)
    assert.ok(tagged.every(({ tags }) => tags?.length))
    assert.ok(Object.keys(paths).every((path) => !path.startsWith('/docs')))
  })

  it('/openapi.json is sent compressed, and not at all to a caller that has it', async () => {
    const plain = await get('/openapi.json')
    const compressed = await get('/openapi.json', { 'accept-encoding': 'gzip' })
    assert.equal(compressed.headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(compressed.rawPayload).toString(), plain.body)
    const etag = String(plain.headers.etag)
    assert.equal((await get('/openapi.json', { 'if-none-match': `W/${etag}` })).statusCode, 304)
    assert.equal((await get('/openapi.json', { 'if-none-match': '"another"' })).statusCode, 200)
  })

  it('decision 10.2: /docs runs its own scripts only, and links to the description without them', async () => {
    const page = await get('/docs')
    assert.equal(page.statusCode, 200)
    assert.match(page.body, /<noscript>.*href="\/openapi\.json"/)
    assert.doesNotMatch(page.body, /style=|\son\w+=|https?:\/\/|<script[^>]*>[^<]/)
    const policy = String(page.headers['content-security-policy'])
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /script-src 'self'(;|$)/)
    assert.doesNotMatch(policy, /unsafe-|https?:/)
    const files = [...page.body.matchAll(/(?:href|src)="(\/docs\/[^"]+\.(?:css|js))"/g)]
    assert.equal(files.length, 5)
    for (const [, file] of files) {
      const { statusCode, headers } = await get(file!, { 'accept-encoding': 'gzip' })
      const cache = 'public, max-age=31536000, immutable'
      assert.deepEqual([statusCode, headers['cache-control'], headers['content-encoding']], [200, cache, 'gzip'])
    }
  })

  it('decision 8.13: the lab’s credentials are for a browser on this machine, and for no other', async () => {
    const lab = { email: 'lab@example.com', client_id: 'c', client_secret: 's', model_id: 'm', hardware_key: 'k' }
    const app = createHttp({
      log: pino({ level: 'silent' }),
      trustProxy: [],
      secure: false,
      lifecycle: { draining: false, retiring: false },
    })
    referencePage(app, async () => lab)
    const ask = async (headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') => {
      const { statusCode, body } = await app.inject({ url: '/docs/lab.json', headers, remoteAddress })
      return statusCode === 200 ? JSON.parse(body) : statusCode
    }
    for (const host of ['localhost:8080', '127.0.0.1:8080', '[::1]:8080']) assert.deepEqual(await ask({ host }), lab)
    assert.deepEqual(await ask({ 'sec-fetch-site': 'same-origin' }, '::ffff:127.0.0.1'), lab)
    // A page whose own name was made to lead to this machine, another page, a proxy, the network.
    assert.equal(await ask({ host: 'evil.example' }), 204)
    assert.equal(await ask({ host: 'localhost.evil.example:8080' }), 204)
    assert.equal(await ask({ 'sec-fetch-site': 'cross-site' }), 204)
    assert.equal(await ask({ 'sec-fetch-site': 'same-site' }), 204)
    assert.equal(await ask({ 'x-forwarded-for': '192.0.2.1' }), 204)
    assert.equal(await ask({}, '192.0.2.1'), 204)
    await app.close()
    // A configuration without a lab has none for anybody.
    assert.equal((await get('/docs/lab.json')).statusCode, 204)
  })

  it('/healthz and /readyz return 200 on a migrated database; the first names the version', async () => {
    assert.deepEqual((await get('/healthz')).json(), { status: 'alive', version })
    assert.deepEqual((await get('/readyz')).json(), { status: 'ready' })
  })

  it('service, portal and kit have one version', async () => {
    const manifests = ['package.json', 'server/package.json', 'portal/package.json', 'client/package.json']
    const versions = manifests.map(async (name) => {
      const file = new URL(`../../../../${name}`, import.meta.url)
      return JSON.parse(await readFile(file, 'utf8')).version
    })
    assert.deepEqual(
      await Promise.all(versions),
      manifests.map(() => version),
    )
  })

  it('/readyz returns 503 while a migration is missing', async () => {
    const [last] =
      await service.sql`delete from migrations where name = (select max(name) from migrations) returning name`
    const { statusCode } = await get('/readyz')
    await service.sql`insert into migrations (name) values (${last!.name})`
    assert.equal(statusCode, 503)
  })

  it('/metrics needs the operator key and counts requests by route, never by address', async () => {
    assert.equal((await get('/metrics')).statusCode, 401)
    await get('/core/v1/operator/partners/00000000-0000-7000-8000-000000000000', { authorization: operatorKey })
    for (const authorization of [operatorKey, `Bearer ${operatorKey}`]) {
      const { statusCode, body } = await get('/metrics', { authorization })
      assert.equal(statusCode, 200)
      assert.match(
        body,
        /http_request_seconds_count\{method="GET",route="\/core\/v1\/operator\/partners\/:id",status="404"\} 1/,
      )
      assert.match(body, /landbridge_database_connections\{state="/)
      assert.doesNotMatch(body, /00000000-0000-7000/)
    }
  })

  it('/metrics is compressed for who accepts that', async () => {
    const headers = { authorization: operatorKey, 'accept-encoding': 'gzip' }
    const response = await service.app.inject({ url: '/metrics', headers })
    assert.equal(response.headers['content-encoding'], 'gzip')
    assert.match(String(response.headers['content-type']), /^text\/plain/)
    assert.match(gunzipSync(response.rawPayload).toString(), /landbridge_database_connections/)
  })

  it('/metrics counts every response once, also to HEAD and to an unknown address', async () => {
    await service.app.inject({ method: 'HEAD', url: '/healthz' })
    await get('/nowhere/00000000')
    const { body } = await get('/metrics', { authorization: operatorKey })
    const counted = body.split('\n').filter((line) => line.startsWith('landbridge_http_request_seconds_count{'))
    const of = (labels: string) => counted.filter((line) => line.includes(labels)).map((line) => line.split(' ').at(-1))
    assert.deepEqual(of('method="HEAD",route="/healthz"'), ['1'])
    assert.equal(of('route="none",status="404"').length, 1)
    const series = counted.map((line) => line.split(' ')[0])
    assert.equal(new Set(series).size, series.length)
  })

  it('an unknown address: a browser gets a page, every other client JSON', async () => {
    for (const headers of [{}, { accept: 'text/html' }, { 'sec-fetch-mode': 'cors' }]) {
      const { statusCode, body } = await get('/nowhere', headers)
      assert.equal(statusCode, 404)
      assert.deepEqual(JSON.parse(body), { error: 'There is nothing at this address.', code: 'not_found' })
    }
    const page = await get('/nowhere', { 'sec-fetch-mode': 'navigate' })
    assert.equal(page.statusCode, 404)
    assert.match(String(page.headers['content-type']), /^text\/html/)
    assert.match(page.body, /Page not found/)
    assert.match(page.body, /<a href="\/">Go to the start page<\/a>/)
  })

  it('every response has a request id, is not sniffed and is not cached', async () => {
    for (const url of ['/healthz', '/core/v1/operator/partners', '/nowhere']) {
      const { headers } = await get(url)
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/)
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['cache-control'], 'no-store')
    }
  })
})
