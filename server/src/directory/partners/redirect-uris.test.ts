import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Refusal } from '../../platform/refusal.ts'
import { requireRedirectUris } from './redirect-uris.ts'

function problems(uris: string[]): string[] {
  try {
    requireRedirectUris(uris)
    return []
  } catch (error) {
    assert.ok(error instanceof Refusal)
    assert.equal(error.status, 422)
    assert.notEqual(error.details!.length, 0)
    return error.details!.map(({ field, message }) => `${field} ${message}`)
  }
}

const many = (count: number) => Array.from({ length: count }, (_, index) => `https://app.example/${index}`)

describe('2.1 redirect URIs', () => {
  for (const uri of [
    'https://app.example',
    'https://app.example/cb?a=b',
    'HTTPS://App.Example:8443/CB',
    'http://localhost:3000/cb',
    'http://my.localhost/cb',
    'http://127.0.0.1/cb',
    'http://127.8.9.10:1/cb',
    'http://[::1]:3000/cb',
    `https://app.example/${'a'.repeat(1_980)}`,
  ]) {
    it(`${uri.slice(0, 40)} is one`, () => assert.deepEqual(problems([uri]), []))
  }

  const https = 'must use https, except on a loopback host'
  const absolute = 'must be an absolute address, such as https://app.example.com/callback'
  const ascii = 'must be 1 to 2000 printable ASCII characters without spaces'
  for (const [uri, message] of [
    ['', ascii],
    ['https://app.example/a b', ascii],
    ['https://ápp.example/', ascii],
    [`https://app.example/${'a'.repeat(1_981)}`, ascii],
    ['https://app.example/cb#', 'must not have a fragment'],
    ['/cb', absolute],
    ['com.example.app:/cb', absolute],
    ['javascript:https://app.example/', absolute],
    ['https:///cb', absolute],
    ['https://?cb', absolute],
    ['https://\\cb', absolute],
    ['https://app.example:99999/', absolute],
    ['https://app.example\\cb', 'must not contain a backslash'],
    ['https://user@app.example/', 'must not contain credentials'],
    ['https://:password@app.example/', 'must not contain credentials'],
    ['http://app.example/cb', https],
    ['http://localhost.example/cb', https],
    ['http://notlocalhost/cb', https],
    ['http://127.app.example/cb', https],
    ['http://128.0.0.1/cb', https],
    ['http://[::2]/cb', https],
  ] as const) {
    it(`${uri.slice(0, 40)} ${message}`, () => {
      assert.deepEqual(problems(['https://app.example/', uri]), [`redirect_uris.1 ${message}`])
    })
  }

  it('there are 1 to 50, each once', () => {
    assert.deepEqual(problems([]), ['redirect_uris must have from 1 to 50 addresses'])
    assert.deepEqual(problems(many(50)), [])
    assert.deepEqual(problems(many(51)), ['redirect_uris must have from 1 to 50 addresses'])
    assert.deepEqual(problems([...many(2), ...many(1)]), ['redirect_uris must not repeat an address'])
  })
})
