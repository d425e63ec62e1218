import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { Type } from 'typebox'
import { startHarness } from '../../../../test/support/harness.ts'
import { createOrganization, type TestOrganization } from '../../../../test/support/organization.ts'
import { newPartner, type TestPartner } from '../../../../test/support/partners.ts'
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
    it(`${at} ${passes ? 'passes' : 'does not: Date or Postgres cannot read it'}`, () => {
      assert.equal(validate({ at }) === true, passes)
    })
  }
})

describe('text that Postgres cannot store → 422', async () => {
  const service = await startHarness()
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
