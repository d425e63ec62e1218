import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  addressOf,
  type BodyOf,
  pathOf,
  queryText,
  type ResponseOf,
  reloadPath,
  urlOf,
} from '../../portal/src/api/operations.ts'

const source = fileURLToPath(new URL('../../portal/src/', import.meta.url))
const names = (await Array.fromAsync(glob('**/*.{ts,tsx}', { cwd: source }))).sort()
const files = new Map<string, string>()
for (const name of names) if (name !== 'api/generated.ts') files.set(name, await readFile(source + name, 'utf8'))

/** The lines of the portal that match, as `file: line`. */
function linesWith(pattern: RegExp, isMeant: (name: string) => boolean = () => true): string[] {
  return [...files].flatMap(([name, text]) =>
    isMeant(name) ? text.split('\n').flatMap((line) => (pattern.test(line) ? [`${name}: ${line.trim()}`] : [])) : [],
  )
}

describe('operations of the API in the portal', () => {
  it('what a path names is encoded in it, and all else is the query', () => {
    assert.deepEqual(addressOf('PATCH /core/v1/organization/devices/{id}', { id: 'a/b?c' }), {
      method: 'PATCH',
      path: '/core/v1/organization/devices/a%2Fb%3Fc',
      query: {},
    })
    const series = urlOf('GET /core/v1/organization/devices/{id}/series', { id: '1', keys: ['a', 'b'], to: undefined })
    assert.equal(series, '/core/v1/organization/devices/1/series?keys=a&keys=b')
    const member = { id: '1', user_id: '2' }
    assert.equal(
      pathOf('GET /core/v1/operator/customers/{id}/users/{user_id}', member),
      '/core/v1/operator/customers/1/users/2',
    )
  })

  it('a query has what is set, and without anything there is none', () => {
    assert.equal(queryText({ a: 0, b: false, c: 'x y', d: ['1', ''] }), '?a=0&b=false&c=x+y&d=1')
    assert.equal(queryText({ a: '1' }), '?a=1')
    assert.equal(queryText({ a: '', b: null, c: undefined, d: [] }), '')
    assert.equal(queryText(), '')
  })

  it('a read that is loaded again without its parameters stands for those with any', () => {
    assert.equal(reloadPath('GET /core/v1/partner/webhooks'), '/core/v1/partner/webhooks')
    assert.equal(reloadPath('GET /core/v1/partner/webhooks/{id}'), '/core/v1/partner/webhooks/')
    assert.equal(reloadPath(['GET /core/v1/partner/webhooks/{id}', { id: '1' }]), '/core/v1/partner/webhooks/1')
  })

  it('the name of an operation decides about its parameters, body and response', () => {
    const isExact = <One, Other>(same: [One, Other] extends [Other, One] ? true : false) => assert.ok(same)
    isExact<ResponseOf<'GET /core/v1/organization/devices/total'>['total'], number>(true)
    isExact<BodyOf<'DELETE /core/v1/organization/devices/{id}'>, undefined>(true)
    // @ts-expect-error no such operation
    urlOf('GET /core/v1/organization/device')
    // @ts-expect-error the id is missing
    urlOf('GET /core/v1/organization/devices/{id}', {})
    // @ts-expect-error no such parameter
    urlOf('GET /core/v1/organization/devices', { serch: 'a' })
    // @ts-expect-error a number
    urlOf('GET /core/v1/organization/devices', { limit: [1] })
    // @ts-expect-error a device has no owner
    const body: BodyOf<'PATCH /core/v1/organization/devices/{id}'> = { owner: 'me' }
    assert.ok(body)
  })

  it('a path stands only in the name of an operation, and in code for partners', () => {
    const named = /(GET|POST|PATCH|PUT|DELETE) \/core\/v1\//
    const others = linesWith(/\/core\/v1\//).filter((line) => !named.test(line) && !line.includes('{issuer}/core/v1/'))
    assert.deepEqual(others, [])
  })

  it('no page calls the service past the operations', () => {
    const isPage = (name: string) => !name.startsWith('api/') && name !== 'partner/how-to-connect.tsx'
    const calls = linesWith(/\b(fetch|request|download|postForFile|EventSource)\(/, isPage)
    assert.deepEqual(
      calls.map((line) => line.slice(0, line.indexOf(':'))),
      // Whether the service is ready is no operation, and the playground shows each call as it was sent.
      ['operator/overview.tsx', 'partner/exchange.tsx'],
    )
  })

  it('each portal calls its own API', () => {
    const others = (folder: string, api: string) =>
      linesWith(new RegExp(`(GET|POST|PATCH|PUT|DELETE) /core/v1/(?!${api}/)`), (name) => name.startsWith(folder))
    assert.deepEqual(others('customer/', 'organization'), [])
    assert.deepEqual(others('operator/', 'operator'), [])
    // The playground and the simulator show what a customer's side does.
    const shown = others('partner/', 'partner').filter(
      (line) => !/^partner\/(playground-steps|simulator-steps)\.tsx/.test(line),
    )
    assert.deepEqual(shown, [])
  })
})
