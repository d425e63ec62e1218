// What an operation does not declare never reaches its verb: not by its query, and not by its body.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createTenant } from '../support/api-world.ts'
import { nextAddress } from '../support/applications.ts'
import { withoutExports } from '../support/exports.ts'
import { startHarness } from '../support/harness.ts'
import { type Document, type Operation, operationsOf, type Schema, streams } from './document.ts'
import { type FuzzRequest, poolOf, soundRequestOf } from './requests.ts'

const service = await startHarness()
const document = (await service.app.inject({ url: '/openapi.json' })).json<Document>()
const operations = operationsOf(document).filter((operation) => !streams(operation))
const tenant = await createTenant(service)
const pool = poolOf(tenant)
const { spaces: space } = tenant.ids.organization

/** The fields of every filter and query that a verb or a store knows, and what could reach a prototype. */
const source = new URL('../../server/src/', import.meta.url).pathname
const internal = globSync('**/*.ts', { cwd: source, exclude: ['**/*.test.ts'] }).flatMap((file) =>
  [
    ...readFileSync(source + file, 'utf8').matchAll(
      /interface \w*(?:Filter|Query|Criteria|Request|Range)\b[^{]*\{([^}]*)\}/g,
    ),
  ].flatMap(([, fields]) => [...fields!.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name]) => name!)),
)
const declared = operations.flatMap(({ parameters }) =>
  parameters.flatMap((one) => (one.in === 'query' ? [one.name] : [])),
)
const names = [...new Set([...internal, ...declared, '__proto__', 'constructor', 'prototype', 'toString', 'x'])]
const values = ['x', 'true', '0', '', `{${space}}`, tenant.customer_id, "'"]

it('the names include those of internal filters', () => {
  for (const name of ['no_space', 'space_ids', 'texts', 'selective', 'firstId', 'customer_id', 'newest_first']) {
    assert.ok(names.includes(name), name)
  }
})

/** The same request each time, so that only the undeclared parts can make a difference. */
function soundRequest(operation: Operation): FuzzRequest {
  return fc.sample(soundRequestOf(operation, tenant, pool), { numRuns: 1, seed: 7 })[0]!
}

async function send({ operation: _, ...request }: FuzzRequest, query = '') {
  const url = query === '' ? request.url : `${request.url}${request.url.includes('?') ? '&' : '?'}${query}`
  const response = await service.app.inject({ ...request, url, remoteAddress: nextAddress() })
  return { status: response.statusCode, body: withoutExports(response.body) }
}

function undeclaredBy({ parameters }: Operation): string[] {
  // A customer is named by it where a header cannot be sent; it decides who calls, and reaches no verb either.
  const known = new Set([...parameters.map(({ name }) => name), 'customer_id'])
  return names.filter((name) => !known.has(name))
}

describe('decision 10.20: parameters that an operation does not declare are dropped', () => {
  for (const operation of operations) {
    it(`${operation.method} ${operation.path}`, async () => {
      const request = soundRequest(operation)
      const undeclared = undeclaredBy(operation)
      const reads = operation.method === 'GET' && operation.path.startsWith('/core/v1/')
      const plain = reads ? await send(request) : null
      for (const value of values) {
        const one = undeclared.map((name) => `${name}=${encodeURIComponent(value)}`).join('&')
        for (const query of value === 'x' ? [one, `${one}&${one}`] : [one]) {
          const { status, body } = await send(request, query)
          assert.ok(status < 500, `${status} for ${value}: ${body}`)
          if (plain) assert.deepEqual({ status, body }, plain, value)
        }
      }
    })
  }
})

describe('decision 10.20: a body with a field that its operation does not declare is refused', () => {
  /** Every object of a schema that a caller may add fields to, by where it is. */
  function openObjects(schema: Schema, at = 'body'): string[] {
    const below = [
      ...Object.entries(schema.properties ?? {}).map(([name, part]) => [part, `${at}.${name}`] as const),
      ...(schema.items ? [[schema.items, `${at}[]`] as const] : []),
      ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map((part) => [part, at] as const),
    ].flatMap(([part, where]) => openObjects(part, where))
    return schema.properties && schema.additionalProperties !== false ? [at, ...below] : below
  }

  for (const operation of operations) {
    const { body } = operation
    if (!body || body.type.includes('form')) continue
    it(`${operation.method} ${operation.path}`, () => assert.deepEqual(openObjects(body.schema), []))
  }
})
