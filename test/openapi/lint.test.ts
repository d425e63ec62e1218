import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { startHarness } from '../support/harness.ts'
import { type Document, operationsOf, type Schema, type WrittenOperation, withoutReferences } from './document.ts'

const service = await startHarness()
const text = (await service.app.inject({ url: '/openapi.json' })).body
const document = JSON.parse(text) as Document
const operations = operationsOf(document)

describe('the OpenAPI document', () => {
  it('passes the strict rules of the linter of Redocly', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        // A redirect of the authorization endpoint is its success; revocation and discovery have no 4xx but 429.
        'operation-2xx-response': 'off',
        'operation-4xx-response': 'off',
      },
    })
    const problems = await lintFromString({ source: text, config })
    const found = problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
    assert.deepEqual(found, [])
  })

  it('has operations', () => assert.ok(operations.length > 100, String(operations.length)))

  for (const operation of operations) {
    it(`${operation.method} ${operation.path} has one tag, an id, and its errors with their codes`, () => {
      assert.equal(operation.tags.length, 1, 'one tag')
      assert.match(operation.id, /^(?:permissions|[a-z][A-Za-z]*(\.[a-z][A-Za-z]*)+)$/)
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
      // Also for a part of the path that is too long to be one.
      if (operation.path.includes('{')) assert.ok(responses.includes('404'))
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

  it('everything is described: operations, parameters, fields, bodies and responses', () => {
    const bare: string[] = []
    const expect = (text: string | undefined, where: string) => {
      // "Why." and "The status." only repeat the name of their field.
      if (/^(?:Why|The status)\.$/.test(text ?? '')) bare.push(where)
      if (!text || text.length < 4 || /Default Response|undefined|\{thing\}|: \.$/m.test(text)) bare.push(where)
    }
    const look = (schema: Schema, where: string): void => {
      for (const [name, field] of Object.entries(schema.properties ?? {})) {
        const target = withoutReferences(document, field)
        expect(field.description ?? target.description, `${where}.${name}`)
        if (!field.$ref) look(field, `${where}.${name}`)
      }
      const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.items ? [schema.items] : [])]
      for (const part of parts) look(part, where)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect(schema.description, name)
      look(schema, name)
    }
    for (const operation of everyOperation()) {
      const { operationId: id } = operation
      expect(operation.summary, `${id}: summary`)
      expect(operation.description, `${id}: description`)
      for (const parameter of operation.parameters ?? []) expect(parameter.description, `${id}?${parameter.name}`)
      for (const [status, { description }] of Object.entries(operation.responses))
        expect(description, `${id} ${status}`)
    }
    assert.deepEqual(bare, [])
  })

  it('every JSON object that is sent or received has a name, and an example', () => {
    const lacking: string[] = []
    for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
      const { operationId: id, requestBody } = operation
      const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
      const parts = [requestBody, ...successes.map(([, response]) => response)]
      for (const [type, { schema, example }] of parts.flatMap((part) => Object.entries(part?.content ?? {}))) {
        if (!/json$|form/.test(type)) continue
        if (example === undefined) lacking.push(`${id}: example`)
        const named = schema?.$ref ?? schema?.anyOf?.[0]?.$ref
        if (!named) lacking.push(`${id}: name`)
      }
    }
    assert.deepEqual(lacking, [])
  })

  it('schemas of one shape have one name', () => {
    const shapes = Object.entries(document.components.schemas).map(
      ([name, schema]) => [JSON.stringify(withoutDescriptions(schema)), name] as const,
    )
    const byShape = Map.groupBy(shapes, ([shape]) => shape)
    const same = [...byShape.values()].filter((group) => group.length > 1).map((group) => group.map(([, name]) => name))
    // These happen to be alike; each may get fields of its own.
    const alike = [
      ['ApiKeyRotation', 'ClientSecretRotation', 'WebhookSecretRotation'],
      ['CustomerChange', 'NewGroup'],
      ['GroupReference', 'SpaceReference'],
      ['LimitedCaller', 'PermittedSpace'],
    ]
    assert.deepEqual(same, alike)
  })

  it('the webhooks section has every event that a webhook can ask for, and the test event', () => {
    const offered = withoutReferences(document, document.components.schemas.NewWebhook!).properties!.events!.items!.enum
    assert.deepEqual(Object.keys(document.webhooks).sort(), [...(offered as string[]), 'webhook.test'].sort())
    assert.equal(document.components.schemas.WebhookEvent?.oneOf?.length, Object.keys(document.webhooks).length)
  })
})

function everyOperation(): WrittenOperation[] {
  const all = [...Object.values(document.paths), ...Object.values(document.webhooks)]
  return withoutReferences(
    document,
    all.flatMap((methods) => Object.values(methods)),
  )
}

function withoutDescriptions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDescriptions)
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(([name, value]) => name !== 'description' || typeof value !== 'string')
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutDescriptions(value)]))
}
