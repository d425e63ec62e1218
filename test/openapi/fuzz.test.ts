// Schema-driven fuzzing of the whole OpenAPI document: a short run with the tests, 20,000 requests with `npm run fuzz`.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { createTenant } from '../support/api-world.ts'
import { nextAddress } from '../support/applications.ts'
import { fuzzSeed } from '../support/fuzz-seed.ts'
import { startHarness } from '../support/harness.ts'
import { type Document, type Operation, operationsOf, type Schema, streams } from './document.ts'
import { type FuzzRequest, requestsOf } from './requests.ts'

const wanted = Number(process.env.FUZZ_REQUESTS ?? 500)
/** Requests in one world: they remove and revoke, and one in which all credentials are revoked shows nothing. */
const inOneWorld = 500

/** Operations that have no 2xx to reach. Each needs its reason. */
const without2xx: Record<string, string> = {
  'oauth.authorize': 'its success is a redirect to the consent screen',
  'oauth.authorizeByPost': 'its success is a redirect to the consent screen',
}

const service = await startHarness()
const document = (await service.app.inject({ url: '/openapi.json' })).json<Document>()
const operations = operationsOf(document).filter((operation) => !streams(operation))

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
const validators = new Map<Schema, ValidateFunction>()

describe(`${wanted} requests made from the OpenAPI document`, () => {
  it('no 5xx, and no reply that breaks its schema', async () => {
    const faults = new Map<string, string>()
    const statuses = new Map<string, number>()
    const reached = new Set<string>()
    for (let sent = 0; sent < wanted; sent += inOneWorld) {
      const tenant = await createTenant(service)
      const numRuns = Math.min(inOneWorld, wanted - sent)
      for (const request of fc.sample(requestsOf(operations, tenant), { numRuns, seed: fuzzSeed + sent })) {
        const { status, fault } = await send(request)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status.startsWith('2')) reached.add(request.operation.id)
        if (fault) faults.set(`${request.operation.id} ${status}`, `${fault}\n${show(request)}`)
      }
    }
    const counts = [...statuses].toSorted().map(([status, count]) => `${status}: ${count}`)
    const missed = operations.map(({ id }) => id).filter((id) => !reached.has(id) && !(id in without2xx))
    console.log(`fuzz: seed ${fuzzSeed}, ${counts.join(', ')}; never 2xx: ${missed.join(', ') || 'none'}`)
    assert.deepEqual([...faults.values()], [])
    // A fuzzer whose requests are all refused proves nothing.
    if (wanted >= 20_000) assert.deepEqual(missed, [])
    else assert.ok(missed.length < operations.length / 3)
  })
})

async function send(request: FuzzRequest): Promise<{ status: string; fault: string | null }> {
  const { operation, ...sent } = request
  const response = await service.app.inject({ ...sent, remoteAddress: nextAddress() })
  const status = String(response.statusCode)
  return { status, fault: faultOf(operation, status, response.body, String(response.headers['content-type'] ?? '')) }
}

function faultOf(operation: Operation, status: string, body: string, type: string): string | null {
  if (status.startsWith('5') && !(status in operation.responses)) return `${status}: ${body}`
  if (status.startsWith('5') && operation.path !== '/readyz') return `${status}: ${body}`
  const documented = operation.responses[status]
  if (!documented) return `${status}, which is not documented: ${body.slice(0, 300)}`
  // A page, a file or nothing at all.
  if (!documented.schema) return null
  if (!type.includes('application/json')) return body === '' ? null : `${status} as ${type}`
  const validate = validatorOf(documented.schema)
  if (body === '' && documented.schema.type === 'null') return null
  return validate(JSON.parse(body))
    ? null
    : `${status} breaks its schema: ${ajv.errorsText(validate.errors)} ${body.slice(0, 500)}`
}

function validatorOf(schema: Schema): ValidateFunction {
  const validate = validators.get(schema) ?? ajv.compile(schema)
  validators.set(schema, validate)
  return validate
}

function show({ method, url, payload, headers }: FuzzRequest): string {
  return `${method} ${url.slice(0, 300)} ${headers['content-type'] ?? ''} ${payload?.slice(0, 500) ?? ''}`
}
