import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type TSchema, Type } from 'typebox'
import { startHarness } from '../../../../test/support/harness.ts'
import { createOrganization, type TestOrganization } from '../../../../test/support/organization.ts'
import { newPartner, type TestPartner } from '../../../../test/support/partners.ts'
import { detailsOf, validatorCompiler } from './validation.ts'

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
    it(`${at} ${passes ? 'passes' : 'does not: Date or Postgres cannot read it'}`, () => {
      assert.equal(validate({ at }) === true, passes)
    })
  }
})

describe('a detail says what would be right', () => {
  const name = Type.String({ minLength: 1, maxLength: 200 })
  const color = Type.String({ pattern: '^#[0-9a-f]{6}$', maxLength: 7, description: 'a colour such as #0b6b57' })
  const cases: [string, TSchema, unknown, string][] = [
    ['text', name, 5, 'must be text'],
    ['text or null', Type.Union([Type.String(), Type.Null()]), 5, 'must be text'],
    ['too long', name, 'x'.repeat(201), 'must have 200 characters or fewer'],
    ['one character', Type.String({ maxLength: 1 }), 'xx', 'must have 1 character or fewer'],
    ['empty', name, '', 'must not be empty'],
    ['too short', Type.String({ minLength: 8 }), 'x', 'must have 8 characters or more'],
    ['a pattern with words', color, 'red', 'must be a colour such as #0b6b57'],
    ['a pattern, too long', color, '#0b6b57000', 'must be a colour such as #0b6b57'],
    ['a list', Type.Array(Type.String()), 'x', 'must be a list'],
    [
      'too many',
      Type.Array(Type.String(), { maxItems: 1_000 }),
      Array(1_001).fill('x'),
      'must have 1,000 items or fewer',
    ],
    ['too few', Type.Array(Type.String(), { minItems: 1 }), [], 'must not be empty'],
    ['twice', Type.Array(Type.String(), { uniqueItems: true }), ['x', 'x'], 'must not list anything twice'],
    ['no fields', Type.Object({}, { minProperties: 1 }), {}, 'must not be empty'],
    ['a fraction', Type.Integer(), 1.5, 'must be a whole number'],
    ['too small', Type.Integer({ minimum: 1 }), 0, 'must be 1 or more'],
    ['too large', Type.Integer({ maximum: 3_600 }), 3_601, 'must be 3,600 or less'],
    ['not below', Type.Number({ exclusiveMaximum: 5 }), 5, 'must be less than 5'],
    ['yes', Type.Boolean(), 'yes', 'must be true or false'],
    ['an enum', Type.Enum(['a', 'b']), 'c', 'must be one of a, b'],
    ['an email', Type.String({ format: 'email' }), 'x', 'must be an email address, such as ada@example.com'],
    ['an id', Type.String({ format: 'uuid' }), 'x', 'must be an id, such as 0190c3f2-7a4e-7000-8000-000000000000'],
    ['absent', name, undefined, 'is required'],
  ]
  for (const [label, field, value, message] of cases) {
    it(`${label}: ${message}`, () => {
      const schema = Type.Object({ field })
      const validate = validatorCompiler({ schema, method: 'POST', url: '/', httpPart: 'body' })
      const body = value === undefined ? {} : { field: value }
      const { error } = validate(body) as unknown as { error: Parameters<typeof detailsOf>[0] }
      assert.deepEqual(detailsOf(error), [{ field: 'field', message }])
    })
  }
})

describe('what may be null', () => {
  it('is not advised to be null where something inside it is wrong', () => {
    const inner = Type.Object({ alg: Type.Enum(['a', 'b']), name: Type.String() })
    const schema = Type.Union([inner, Type.Null()])
    const validate = validatorCompiler({ schema, method: 'POST', url: '/', httpPart: 'body' })
    const { error } = validate({ alg: 'c' }) as unknown as { error: Parameters<typeof detailsOf>[0] }
    assert.deepEqual(detailsOf(error), [
      { field: 'name', message: 'is required' },
      { field: 'alg', message: 'must be one of a, b' },
    ])
  })
})

const service = await startHarness()

describe('text that Postgres cannot store → 422', () => {
  let organization: TestOrganization
  let partner: TestPartner
  before(async () => {
    organization = await createOrganization(service)
    partner = await newPartner(service)
  })
  const half = 'a\ud800b'
  const claim = { mac: '00:1a:2b:3c:4d:5e', sn: '1', model_id: half }
  const method = 'MAC & Serial Number'
  const bodies: [string, object, string][] = [
    ['/groups', { name: half }, 'name'],
    ['/spaces', { name: half }, 'name'],
    ['/spaces/find-or-create', { path: ['House', half] }, 'path.1'],
    ['/api-keys', { name: half }, 'name'],
    ['/devices/claim', claim, 'model_id'],
  ]
  for (const [path, body, field] of bodies) {
    it(`half a surrogate pair in ${field} of ${path}`, async () => {
      const refused = await organization.call('session', 'POST', path, body)
      assert.deepEqual([refused.status, refused.body.code], [422, 'invalid'], refused.raw)
      assert.deepEqual(refused.body.details, [{ field, message: 'must be text without lone surrogates' }])
    })
  }

  it('half a surrogate pair in the name of a model', async () => {
    const refused = await partner.call('POST', '/models', { name: half, authentication_method: method })
    assert.deepEqual([refused.status, refused.body.details[0].field], [422, 'name'])
  })

  it('U+0000, which a schema may admit', async () => {
    for (const model_id of ['\0', 'a\0']) {
      const refused = await organization.call('session', 'POST', '/devices/claim', { ...claim, model_id })
      assert.deepEqual([refused.status, refused.body.code], [422, 'invalid'], refused.raw)
    }
  })

  it('a whole pair is a character like any other', async () => {
    const created = await organization.call('session', 'POST', '/groups', { name: '😀' })
    assert.deepEqual([created.status, created.body.name], [201, '😀'])
  })
})
