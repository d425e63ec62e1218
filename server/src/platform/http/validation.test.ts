import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import { validatorCompiler } from './validation.ts'

describe('an instant from a caller', () => {
  const schema = Type.Object({ at: Type.String({ format: 'date-time' }) })
  const validate = validatorCompiler({ schema, method: 'GET', url: '/', httpPart: 'querystring' })
  const cases: [string, boolean][] = [
    ['2026-03-01T12:00:00Z', true],
    ['2026-03-01T12:00:00.123456+05:30', true],
    ['0001-01-01T00:00:00Z', true],
    ['9999-12-31T23:59:59.999Z', true],
    ['2016-12-31T23:59:60Z', false],
    ['2026-02-30T00:00:00Z', false],
    ['2026-03-01T12:00:00+01', false],
    ['0000-01-01T00:00:00Z', false],
    ['0001-01-01T00:00:00+00:01', false],
    ['9999-12-31T23:59:59-01:00', false],
    ['2026-03-01', false],
  ]
  for (const [at, passes] of cases) {
    it(`${at} ${passes ? 'passes' : 'does not: Date or Postgres could not take it'}`, () => {
      assert.equal(validate({ at }) === true, passes)
    })
  }
})
