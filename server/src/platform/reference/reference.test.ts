import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { operatorKey, startHarness } from '../../../../test/support/harness.ts'

const service = await startHarness()

async function get(url: string, headers: Record<string, string> = {}) {
  return await service.app.inject({ url, headers })
}

describe('what the service tells about itself', () => {
  it('/openapi.json describes the routes, each in its chapter with its credentials', async () => {
    const { paths, openapi } = (await get('/openapi.json')).json()
    assert.match(openapi, /^3\.1/)
    const list = paths['/core/v1/operator/partners'].get
    assert.deepEqual(list.security[0], { operatorKey: [] })
    const tagged = Object.values(paths as Record<string, Record<string, { tags?: string[] }>>).flatMap(Object.values)
    assert.ok(tagged.every(({ tags }) => tags?.length))
    assert.ok(Object.keys(paths).every((path) => !path.startsWith('/docs')))
  })

  it('/docs is a page without a script, an inline style or another host', async () => {
    const page = await get('/docs')
    assert.equal(page.statusCode, 200)
    assert.match(page.body, /<code>\/core\/v1\/operator\/partners<\/code>/)
    assert.doesNotMatch(page.body, /<script|style=|\son\w+=|https?:\/\//)
    const policy = String(page.headers['content-security-policy'])
    assert.match(policy, /default-src 'none'/)
    assert.doesNotMatch(policy, /unsafe-inline/)
    for (const [, sheet] of page.body.matchAll(/rel="stylesheet" href="([^"]+)"/g)) {
      const { statusCode, headers } = await get(sheet!)
      assert.deepEqual([statusCode, headers['cache-control']], [200, 'public, max-age=31536000, immutable'])
    }
  })

  it('/healthz and /readyz answer 200 on a migrated database', async () => {
    assert.equal((await get('/healthz')).statusCode, 200)
    assert.deepEqual((await get('/readyz')).json(), { status: 'ready' })
  })

  it('/readyz answers 503 while a migration is missing', async () => {
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

  it('/metrics counts an answer once, that of HEAD and of an unknown address too', async () => {
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

  it('an address where there is nothing: a person gets a page, everyone else JSON', async () => {
    for (const headers of [{}, { accept: 'text/html' }, { 'sec-fetch-mode': 'cors' }]) {
      const { statusCode, body } = await get('/nowhere', headers)
      assert.equal(statusCode, 404)
      assert.deepEqual(JSON.parse(body), { error: 'There is nothing at this address.', code: 'not_found' })
    }
    const page = await get('/nowhere', { 'sec-fetch-mode': 'navigate' })
    assert.equal(page.statusCode, 404)
    assert.match(String(page.headers['content-type']), /^text\/html/)
    assert.match(page.body, /There is nothing here/)
    assert.match(page.body, /<a href="\/">Go to the start page<\/a>/)
  })

  it('every answer names its request, is not sniffed and is not kept', async () => {
    for (const url of ['/healthz', '/core/v1/operator/partners', '/nowhere']) {
      const { headers } = await get(url)
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/)
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['cache-control'], 'no-store')
    }
  })
})
