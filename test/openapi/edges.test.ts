// What every operation of the OpenAPI document does with requests that are wrong before anything is read of them.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { createTenant } from '../support/api-world.ts'
import { nextAddress } from '../support/applications.ts'
import { startHarness } from '../support/harness.ts'
import { type Document, type Operation, operationsOf } from './document.ts'
import { type FuzzRequest, poolOf, soundRequestOf } from './requests.ts'

const service = await startHarness()
const document = (await service.app.inject({ url: '/openapi.json' })).json<Document>()
const operations = operationsOf(document)
const tenant = await createTenant(service)
const pool = poolOf(tenant)

const paths = Map.groupBy(operations, ({ path }) => path)
const withBody = operations.filter(({ body }) => body !== null)

/** A request that is in order, the same each time: drawing one takes longer than sending it. */
function soundRequest(operation: Operation): FuzzRequest {
  const known =
    soundRequests.get(operation) ?? fc.sample(soundRequestOf(operation, tenant, pool), { numRuns: 1, seed: 7 })[0]!
  soundRequests.set(operation, known)
  return known
}
const soundRequests = new Map<Operation, FuzzRequest>()

interface Change {
  method?: string
  headers?: Record<string, string | undefined>
  payload?: string | Buffer
}

async function send(operation: Operation, { method, headers, payload }: Change) {
  const { operation: _, ...sound } = soundRequest(operation)
  const all = Object.entries({ ...sound.headers, ...headers }).filter(([, value]) => value !== undefined)
  const response = await service.app.inject({
    url: sound.url,
    method: (method ?? sound.method) as 'GET',
    headers: Object.fromEntries(all) as Record<string, string>,
    remoteAddress: nextAddress(),
    ...(payload === undefined ? {} : { payload }),
  })
  return { status: response.statusCode, text: response.body, headers: response.headers }
}

/** The form of the path's surface: OAuth's, a page, or `{error, code, details?}`. */
function assertForm({ path }: Operation, text: string, type: unknown): void {
  if (path === '/oauth/authorize') {
    assert.match(text, /^<!doctype html>/)
    return
  }
  assert.match(String(type), /^application\/json/)
  const members = Object.keys(JSON.parse(text))
  if (path === '/oauth/token' || path === '/oauth/revoke') assert.deepEqual(members, ['error', 'error_description'])
  else assert.deepEqual(members.slice(0, 2), ['error', 'code'])
}

const isForm = ({ body }: Operation) => body!.type.includes('form')

it('there are paths and bodies to try', () => {
  assert.ok(paths.size > 60, `${paths.size} paths`)
  assert.ok(withBody.length > 30, `${withBody.length} bodies`)
})

describe('decision 8.4: a method that a path does not have', () => {
  for (const [path, ofPath] of paths) {
    const served = new Set<string>(ofPath.map(({ method }) => method))
    it(`${path} → 405 with Allow, in the form of its surface`, async () => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']) {
        if (served.has(method)) continue
        const { status, text, headers } = await send(ofPath[0]!, { method })
        assert.equal(status, 405, `${method}: ${text}`)
        const allowed = new Set(String(headers.allow).split(', '))
        for (const other of served) assert.ok(allowed.has(other), String(headers.allow))
        assert.ok(!allowed.has(method))
        assertForm(ofPath[0]!, text, headers['content-type'])
      }
      const options = await send(ofPath[0]!, { method: 'OPTIONS' })
      assert.equal(options.status, 204)
      assert.match(String(options.headers.allow), /OPTIONS/)
    })
  }

  it('of a page → 405 as a page; a method that no path has → 405 too', async () => {
    for (const url of ['/sign-in', '/account', '/consent', '/link/lbo_x']) {
      const { statusCode, headers, body } = await service.app.inject({ method: 'DELETE', url })
      assert.deepEqual([statusCode, /^<!doctype html>/.test(body)], [405, true], url)
      assert.match(String(headers.allow), /GET/)
    }
    const exotic = await service.app.inject({ method: 'PROPFIND' as 'GET', url: '/healthz' })
    assert.deepEqual([exotic.statusCode, exotic.headers.allow], [405, 'GET, HEAD, OPTIONS'])
  })

  it('without credentials the three APIs say 401 and not what there is', async () => {
    for (const api of ['organization', 'partner', 'operator']) {
      const { statusCode, headers } = await service.app.inject({ method: 'PUT', url: `/core/v1/${api}/api-keys` })
      assert.deepEqual([statusCode, headers.allow], [401, undefined])
    }
  })
})

describe('decision 8.4: a body of another type', () => {
  const types = [
    'text/plain',
    'application/xml',
    'application/octet-stream',
    'multipart/form-data; boundary=x',
    'nonsense',
    undefined,
  ]
  for (const operation of withBody) {
    const wanted = isForm(operation) ? 400 : 415
    it(`${operation.method} ${operation.path} → ${wanted}`, async () => {
      const otherType = isForm(operation) ? 'application/json' : 'application/x-www-form-urlencoded'
      for (const type of [...types, otherType]) {
        const { status, text, headers } = await send(operation, { headers: { 'content-type': type }, payload: 'a=1' })
        assert.equal(status, wanted, `${type}: ${text}`)
        assertForm(operation, text, headers['content-type'])
      }
    })
  }
})

describe('no body at all', () => {
  for (const operation of withBody) {
    const { required } = operation.body!
    it(`${operation.method} ${operation.path} ${required ? 'needs one' : 'does without'}, as the document says`, async () => {
      const { operation: _, payload: __, ...sound } = soundRequest(operation)
      const { 'content-type': ___, ...headers } = sound.headers
      const { statusCode, body } = await service.app.inject({ ...sound, headers, remoteAddress: nextAddress() })
      assert.equal([400, 415, 422].includes(statusCode), required, `${statusCode} ${body}`)
    })
  }
})

describe('decision 8.4: a compressed body', () => {
  for (const operation of withBody) {
    const wanted = isForm(operation) ? 400 : 415
    it(`${operation.method} ${operation.path} → ${wanted} that says so`, async () => {
      const { payload } = soundRequest(operation)
      for (const encoding of ['gzip', 'br', 'deflate', 'GZIP, gzip']) {
        const { status, text } = await send(operation, {
          headers: { 'content-encoding': encoding },
          payload: gzipSync(payload ?? '{}'),
        })
        assert.equal(status, wanted, text)
        assert.match(text, /Content-Encoding/)
      }
      const plain = await send(operation, { headers: { 'content-encoding': 'identity' } })
      assert.doesNotMatch(plain.text, /Content-Encoding/)
      assert.ok(plain.status !== 415, plain.text)
    })
  }
})

describe('decision 7.8: a body that is deep, wide, or full of unknown members', () => {
  const wide = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join()}}`
  const bodies = {
    'deep lists': '['.repeat(100_000),
    'deep objects': `${'{"a":'.repeat(15_000)}0${'}'.repeat(15_000)}`,
    'wide object': wide(20_000),
    'unknown members': wide(1_500),
    'list of objects': `[${Array(30_000).fill('{}').join()}]`,
    'long name': `{"${'x'.repeat(100_000)}":1}`,
  }
  for (const operation of withBody.filter((each) => !isForm(each))) {
    it(`${operation.method} ${operation.path} → a short 4xx at once`, async () => {
      for (const [title, payload] of Object.entries(bodies)) {
        const began = process.threadCpuUsage()
        const { status, text } = await send(operation, { payload })
        const { user, system } = process.threadCpuUsage(began)
        const took = (user + system) / 1000
        assert.ok(status >= 400 && status < 500, `${title}: ${status} ${text.slice(0, 200)}`)
        assert.ok(text.length < 12_000, `${title}: a response of ${text.length} bytes`)
        assert.ok(took < 1_000, `${title}: ${took} ms`)
      }
    })
  }
})

describe('decision 8.4: an unknown path', () => {
  const challenge = 'Bearer error="invalid_token"'

  it('7.7 of the organization API with a bad bearer token → 401 before 404; with a good one → 404', async () => {
    for (const path of ['nothing', 'users/x/y', '', 'devices/claim/nothing']) {
      const url = `/core/v1/organization/${path}`
      const bad = await service.app.inject({ url, headers: { authorization: 'Bearer lba_x' } })
      assert.deepEqual(
        [bad.statusCode, bad.body, bad.headers['www-authenticate']],
        [401, '{"error":"Not authorized"}', challenge],
      )
      const good = await service.app.inject({ url, headers: tenant.credentials.organization.bearer! })
      assert.deepEqual([good.statusCode, good.json().code], [404, 'not_found'])
    }
  })

  it('of the partner and operator APIs → 401 before 404', async () => {
    for (const api of ['partner', 'operator']) {
      const { statusCode, body } = await service.app.inject({ url: `/core/v1/${api}/nothing` })
      assert.deepEqual([statusCode, body], [401, '{"error":"Not authorized"}'])
    }
  })

  it('elsewhere → 404 in JSON', async () => {
    for (const url of [
      '/nothing',
      '/v1/nothing',
      '/oauth/nothing',
      '/core/v1/nothing',
      '/core',
      '/.well-known/nothing',
    ]) {
      for (const method of ['GET', 'POST', 'DELETE'] as const) {
        const { statusCode, body } = await service.app.inject({ method, url })
        assert.deepEqual([statusCode, JSON.parse(body).code], [404, 'not_found'], `${method} ${url}`)
      }
    }
  })
})
