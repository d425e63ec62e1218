import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createTenant, type Tenant } from '../support/api-world.ts'
import { withoutExports } from '../support/exports.ts'
import { startHarness, toTestResponse } from '../support/harness.ts'
import { type Document, fill, kindsOf, type Operation, operationsOf, sessionOnly, streams } from './document.ts'
import { valid } from './samples.ts'

const service = await startHarness()
const document = (await service.app.inject({ url: '/openapi.json' })).json<Document>()
const operations = operationsOf(document)
const mine = await createTenant(service)
const theirs = await createTenant(service)

const apis = ['organization', 'partner'] as const
type Api = (typeof apis)[number]

function valuesOf(tenant: Tenant, api: Api, operation: Operation): Record<string, string> {
  const values: Record<string, string> = {}
  for (const { name, kind } of kindsOf(operation.path)) {
    const id = tenant.ids[api][kind]
    assert.ok(id, `${operation.path}: say in support/api-world.ts what a ${kind} of the ${api} API is`)
    values[name] = id
  }
  return values
}

interface Input {
  query: string
  payload?: object
}

const inputs = new Map<Operation, Input>()

/** A body and query that are in order, so that nothing but the id is wrong. Drawn once: that takes longer than a request. */
function inputOf(operation: Operation): Input {
  const input = inputs.get(operation) ?? drawInput(operation)
  inputs.set(operation, input)
  return input
}

function drawInput(operation: Operation): Input {
  const pool = { ids: Object.values(mine.ids.organization) }
  const seed = 7
  const query = new URLSearchParams()
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'query' || !parameter.required) continue
    query.set(parameter.name, String(fc.sample(valid(parameter.schema, pool), { numRuns: 1, seed })[0] || 'x'))
  }
  const body = operation.body && (fc.sample(valid(operation.body.schema, pool), { numRuns: 1, seed })[0] as object)
  return { query: query.size > 0 ? `?${query}` : '', ...(body ? { payload: body } : {}) }
}

let calls = 0

async function call(operation: Operation, values: Record<string, string>, headers: Record<string, string>) {
  const { query, payload } = inputOf(operation)
  const url = fill(operation.path, values) + query
  // Of many addresses: wrong keys are limited per address (decision 10.22).
  calls += 1
  const remoteAddress = `10.1.${calls >> 8}.${calls & 255}`
  const { method } = operation
  const response = await service.app.inject({ method, url, headers, remoteAddress, ...(payload ? { payload } : {}) })
  return { ...toTestResponse(response), raw: withoutExports(response.body) }
}

/** A customer may claim devices of any model (decision 6.8), so every customer knows all of them. */
const everyones = '/core/v1/organization/models/{id}'

for (const api of apis) {
  const ofApi = operations.filter(({ path }) => path.startsWith(`/core/v1/${api}/`))
  const withIds = ofApi.filter(({ path }) => path.includes('{') && path !== everyones)

  describe(`${api} API: another tenant's ids`, () => {
    it('there are paths to try', () => assert.ok(withIds.length > 5))

    for (const operation of withIds) {
      it(`${operation.method} ${operation.path} → 404 with every credential`, async () => {
        const own = valuesOf(mine, api, operation)
        const foreign = valuesOf(theirs, api, operation)
        // All foreign, and each one by itself among my own.
        const mixes = [foreign, ...Object.keys(own).map((name) => ({ ...own, [name]: foreign[name]! }))]
        for (const [credential, headers] of Object.entries(mine.credentials[api])) {
          for (const values of mixes) {
            const { status, body } = await call(operation, values, headers)
            if (credential !== 'session' && status === 403) {
              assert.ok(sessionOnly(operation), 'a 403 that is not documented')
              continue
            }
            assert.deepEqual(
              [status, body.code],
              [404, 'not_found'],
              `${credential} ${JSON.stringify(values)} ${JSON.stringify(body)}`,
            )
          }
        }
      })
    }

    for (const operation of ofApi.filter(({ method }) => method === 'GET')) {
      if (streams(operation)) continue
      it(`GET ${operation.path} → 200 for its owner, the same with every credential, and never anything of another`, async () => {
        const values = valuesOf(theirs, api, operation)
        const responses = new Set<string>()
        for (const [credential, headers] of Object.entries(theirs.credentials[api])) {
          const { status, raw } = await call(operation, values, headers)
          if (credential !== 'session' && sessionOnly(operation) && status === 403) continue
          assert.equal(status, 200, `${credential}: ${raw}`)
          assert.ok(!raw.includes(mine.marker) && !raw.includes(mine.customer_id) && !raw.includes(mine.partner_id))
          responses.add(raw)
        }
        // What a person may do and what a credential may do is not the same.
        const expected = operation.id === 'permissions' ? 2 : 1
        // The first who asks takes the commands that wait.
        if (operation.path !== '/core/v1/partner/commands') {
          assert.equal(responses.size, expected, [...responses].join('\n'))
        }
      })
    }
  })
}

describe('no credential opens another API', () => {
  for (const operation of operations.filter(({ path }) => path.startsWith('/core/v1/'))) {
    it(`${operation.method} ${operation.path} without one, with another API's, and with a session of another host → 401`, async () => {
      const values = Object.fromEntries(kindsOf(operation.path).map(({ name }) => [name, mine.customer_id]))
      const organization = [mine.credentials.organization.bearer!, mine.credentials.organization.apiKey!]
      // A session is bound to the host it was created on (decision 6.7).
      const elsewhere = { host: 'acme.test', origin: 'http://acme.test', 'sec-fetch-site': 'same-origin' }
      const sessions = [mine.credentials.organization.session!, mine.credentials.partner.session!]
      const replayed = sessions.map((session) => ({ ...session, ...elsewhere }))
      const others: Record<string, Record<string, string>[]> = {
        session: replayed,
        organization: [mine.credentials.partner.partnerKey!, ...replayed],
        partner: [...organization, ...replayed],
        operator: [...organization, mine.credentials.partner.partnerKey!, mine.credentials.partner.session!],
      }
      const api = operation.path.split('/')[3]!
      assert.ok(others[api], `${api}: say which credentials must not open it`)
      for (const headers of [{}, ...others[api]]) {
        assert.equal((await call(operation, values, headers)).status, 401)
      }
    })
  }
})
