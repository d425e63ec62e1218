// A number that a column cannot hold would be our failure: each one has bounds, and is refused with them (fuzz, seed 2903).
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHarness } from '../support/harness.ts'
import { type Document, type Operation, operationsOf, type Schema } from './document.ts'

const service = await startHarness()
const document = (await service.app.inject({ url: '/openapi.json' })).json<Document>()
const largestInteger = 2_147_483_647

describe('every whole number that a caller can send', () => {
  const sent = operationsOf(document).flatMap((operation) => integersOf(operation))

  it('there are some', () => assert.ok(sent.length >= 10))

  for (const { name, schema } of sent) {
    it(`${name} has bounds that a column can hold`, () => {
      const { minimum, maximum } = schema
      assert.ok(minimum !== undefined && minimum >= -largestInteger, `minimum: ${minimum}`)
      assert.ok(maximum !== undefined && maximum <= largestInteger, `maximum: ${maximum}`)
    })
  }
})

function integersOf({ id, parameters, body }: Operation): { name: string; schema: Schema }[] {
  const schemas = [...parameters.map(({ schema }) => schema), ...(body ? [body.schema] : [])]
  return schemas.flatMap(integersIn).map((schema) => ({ name: `${id}: ${schema.description}`, schema }))
}

function integersIn(part: unknown): Schema[] {
  if (part === null || typeof part !== 'object') return []
  const inside = Object.values(part).flatMap(integersIn)
  return [(part as Schema).type].flat().includes('integer') ? [part as Schema, ...inside] : inside
}
