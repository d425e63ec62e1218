import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { startHarness } from '../support/harness.ts'
import { operationsOf, type Schema } from './document.ts'

const service = await startHarness()
const text = (await service.app.inject({ url: '/openapi.json' })).body
const operations = operationsOf(JSON.parse(text))

describe('the OpenAPI document', () => {
  it('passes the strict rules of the linter of Redocly', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        // The document is served by the one server that it describes.
        'no-server-example.com': 'off',
        'info-license': 'off',
        'no-empty-servers': 'off',
        // A redirect of the authorization endpoint is its success; revocation and discovery have no 4xx but 429.
        'operation-2xx-response': 'off',
        'operation-4xx-response': 'off',
        'tag-description': 'off',
      },
    })
    const problems = await lintFromString({ source: text, config })
    const found = problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
    assert.deepEqual(found, [])
  })

  it('has operations', () => assert.ok(operations.length > 100, String(operations.length)))

  for (const operation of operations) {
    it(`${operation.method} ${operation.path} has a summary, one tag, an id, and its errors with their codes`, () => {
      assert.ok(operation.summary, 'summary')
      assert.equal(operation.tags.length, 1, 'one tag')
      assert.match(operation.id, /^[a-z][A-Za-z0-9_]+$/)
      if (!operation.path.startsWith('/core/v1/') && !operation.path.startsWith('/v1/')) return
      for (const [status, { schema }] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue
        assert.ok(schema?.properties?.error, `${status} has an error`)
        // 7.7 gives the 401 of the three APIs without a code.
        if (status === '401' && operation.path.startsWith('/core/')) continue
        assert.ok(schema.properties.code?.enum?.length, `${status} names its codes`)
      }
      const responses = Object.keys(operation.responses)
      if (operation.path.startsWith('/core/v1/') && operation.security.length > 0) assert.ok(responses.includes('401'))
      if (operation.path.includes('{') && operation.path.startsWith('/core/')) assert.ok(responses.includes('404'))
      if (operation.body?.type === 'application/json') {
        for (const status of ['400', '415', '422']) assert.ok(responses.includes(status), `${status} for a bad body`)
      }
    })
  }

  it('no object has its names matched by a pattern: what does not match would be left out of a reply', () => {
    assert.ok(!text.includes('"patternProperties"'))
  })

  it('every list that a caller sends has a bound', () => {
    const unbounded: string[] = []
    const look = (schema: Schema, where: string): void => {
      if ([schema.type].flat().includes('array') && schema.maxItems === undefined) unbounded.push(where)
      for (const [name, part] of Object.entries(schema.properties ?? {})) look(part, `${where}.${name}`)
      for (const part of [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])]) look(part, `${where}[]`)
    }
    for (const { id, body, parameters } of operations) {
      if (body) look(body.schema, id)
      for (const { name, schema } of parameters) look(schema, `${id}?${name}`)
    }
    assert.deepEqual(unbounded, [])
  })

  it('every operation has its own id', () => {
    assert.equal(new Set(operations.map(({ id }) => id)).size, operations.length)
  })
})
