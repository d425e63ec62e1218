import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import pino from 'pino'
import { hashedFile, serveHashedFile, serveHashedFiles } from './hashed-files.ts'
import { createHttp } from './server.ts'

const folder = await mkdtemp(join(tmpdir(), 'landbridge-files-'))
after(() => rm(folder, { recursive: true }))
for (const name of ['app-1.js', 'app-1.js.br', 'app-1.js.gz', 'logo-2.svg']) await writeFile(join(folder, name), name)
await writeFile(join(folder, '..', `${folder.split('/').at(-1)}-secret.js`), 'secret')
after(() => rm(`${folder}-secret.js`))

const app = createHttp({
  log: pino({ level: 'silent' }),
  trustProxy: [],
  secure: false,
  lifecycle: { draining: false, retiring: false },
})
await serveHashedFiles(app, { folder: pathToFileURL(`${folder}/`), prefix: '/assets/' })

const one = hashedFile('/docs/', pathToFileURL(join(folder, 'app-1.js')))
serveHashedFile(app, one)

const get = (url: string, acceptEncoding?: string) =>
  app.inject({ url, headers: acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding } })

describe('hashed files', () => {
  for (const [accepted, body, encoding] of [
    ['gzip, deflate, br', 'app-1.js.br', 'br'],
    ['gzip', 'app-1.js.gz', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'app-1.js.gz', 'gzip'],
    ['identity', 'app-1.js', undefined],
    ['br;q=0.000', 'app-1.js', undefined],
    [undefined, 'app-1.js', undefined],
  ] as const) {
    it(`accept-encoding ${accepted} → ${encoding ?? 'as it is'}`, async () => {
      const response = await get('/assets/app-1.js', accepted)
      assert.equal(response.statusCode, 200)
      assert.equal(response.body, body)
      assert.equal(response.headers['content-encoding'], encoding)
      assert.equal(response.headers['content-type'], 'text/javascript; charset=utf-8')
      assert.equal(response.headers.vary, 'accept-encoding')
      assert.match(String(response.headers['cache-control']), /immutable/)
      assert.equal(response.headers['x-content-type-options'], 'nosniff')
    })
  }

  it('a file without a compressed form is sent as it is', async () => {
    const response = await get('/assets/logo-2.svg', 'br, gzip')
    assert.equal(response.body, 'logo-2.svg')
    assert.equal(response.headers['content-encoding'], undefined)
  })

  it('each form has its own ETag, and a caller who has it gets 304 without a body', async () => {
    const etagOf = async (encoding: string) => String((await get('/assets/app-1.js', encoding)).headers.etag)
    const [br, gzip, plain] = [await etagOf('br'), await etagOf('gzip'), await etagOf('identity')]
    assert.equal(new Set([br, gzip, plain]).size, 3)
    const again = (known: string) =>
      app.inject({ url: '/assets/app-1.js', headers: { 'accept-encoding': 'br', 'if-none-match': known } })
    const same = await again(`"other", ${br}`)
    assert.equal(same.statusCode, 304)
    assert.equal(same.body, '')
    assert.equal(same.headers.etag, br)
    assert.equal(same.headers['content-encoding'], undefined)
    assert.equal((await again(gzip)).statusCode, 200)
  })

  it('a part is not served: the whole file is', async () => {
    const response = await app.inject({ url: '/assets/app-1.js', headers: { range: 'bytes=0-1' } })
    assert.equal(response.statusCode, 200)
    assert.equal(response.body, 'app-1.js')
  })

  it('a single file is compressed as the caller accepts it, with an ETag for each form', async () => {
    const responses = await Promise.all(['gzip, br', 'gzip', 'identity'].map((accepted) => get(one.address, accepted)))
    const [br, gzip, plain] = responses
    assert.equal(brotliDecompressSync(br!.rawPayload).toString(), 'app-1.js')
    assert.equal(gunzipSync(gzip!.rawPayload).toString(), 'app-1.js')
    assert.equal(plain!.body, 'app-1.js')
    assert.deepEqual(
      responses.map(({ headers }) => headers['content-encoding']),
      ['br', 'gzip', undefined],
    )
    assert.equal(new Set(responses.map(({ headers }) => headers.etag)).size, 3)
  })

  it('HEAD has the headers and no body', async () => {
    const response = await app.inject({ method: 'HEAD', url: '/assets/app-1.js' })
    assert.equal(response.statusCode, 200)
    assert.equal(response.body, '')
  })

  for (const path of [
    'nothing.js',
    'app-1.js.br',
    '../hashed-files.ts',
    '%2e%2e%2fhashed-files.ts',
    `..%2f${folder.split('/').at(-1)}-secret.js`,
    'app-1.js%00',
    '',
    '__proto__',
    `${'a'.repeat(300)}.js`,
  ]) {
    it(`${JSON.stringify(path.slice(0, 40))} is not one of them → 404`, async () => {
      assert.equal((await get(`/assets/${path}`)).statusCode, 404)
    })
  }
})
