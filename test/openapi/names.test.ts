// One rule for every text that people read (decision 6.40): a field without it cannot be declared.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startHarness } from '../support/harness.ts'
import { createOrganization, type TestOrganization } from '../support/organization.ts'
import { newPartner, type TestPartner } from '../support/partners.ts'
import { type Document, operationsOf, type Schema } from './document.ts'

const service = await startHarness()
const operations = operationsOf((await service.app.inject({ url: '/openapi.json' })).json<Document>())

/** What fields are called that people read. */
const forPeople = /(^|_)(name|names|label|title|description|note|reason|tag|tags|unit|display.*)$/

/** Texts of these names that people do not read as such. Each needs its reason. */
const others: Record<string, string> = {
  'deviceViews.create query.tag': 'a filter, which must find a tag however it was stored',
  'deviceViews.update query.tag': 'a filter, which must find a tag however it was stored',
  'partner.models.commands.replace commands.name': 'an identifier of ASCII letters; people read the label',
  'devices.commands.create name': 'an identifier of ASCII letters; people read the label',
  'devices.commands.createMany name': 'an identifier of ASCII letters; people read the label',
}

describe('decision 6.40: every text for people in a body has the rule', () => {
  let found = 0
  for (const { id, body } of operations) {
    for (const [path, schema] of body ? textsOf(body.schema) : []) {
      if (!forPeople.test(path.split('.').at(-1)!) || `${id} ${path}` in others) continue
      found += 1
      it(`${id}: ${path}`, () => {
        assert.ok(schema['x-text'], 'declare it with Line, Lines or Name')
        assert.ok(schema.maxLength)
        assert.ok(!schema.pattern?.includes('\\p'))
      })
    }
  }

  it('there are many', () => assert.ok(found >= 30, String(found)))
})

/** Texts that anybody may write, by path; values of an enumeration are ours. */
function textsOf(schema: Schema, path = ''): [string, Schema][] {
  const child = (name: string) => (path ? `${path}.${name}` : name)
  return [
    ...(schema.type === 'string' && !schema.enum && schema.const === undefined
      ? [[path, schema] as [string, Schema]]
      : []),
    ...(schema.anyOf ?? []).flatMap((variant) => textsOf(variant, path)),
    ...(schema.items ? textsOf(schema.items, path) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => textsOf(part, child(name))),
  ]
}

describe('decision 6.40: a name that hides something → 422 with the field and what is wrong', () => {
  let organization: TestOrganization
  let partner: TestPartner
  before(async () => {
    organization = await createOrganization(service)
    partner = await newPartner(service)
  })

  const esc = '\u001b[2J'
  const calls: [
    string,
    () => Promise<{ status: number; body: { details: { field: string; message: string }[] } }>,
    string,
  ][] = [
    [
      'a partner',
      () => service.operator('PATCH', `/partners/${partner.id}`, { name: 'Ac\u202eme' }),
      'direction of text (U+202E)',
    ],
    [
      'a customer',
      () => service.operator('POST', '/customers', { partner_id: partner.id, name: '\u3164' }),
      'invisible characters (U+3164)',
    ],
    [
      'an invitation',
      () =>
        organization.call('session', 'POST', '/invitations', {
          email: 'x@example.com',
          name: `Ada${esc}`,
          role: 'member',
        }),
      'control characters or line breaks (U+001B)',
    ],
    ['a group', () => organization.call('api_key', 'POST', '/groups', { name: 'a\u0085b' }), 'line breaks (U+0085)'],
    [
      'a space',
      () => organization.call('api_key', 'POST', '/spaces', { name: '\u2800' }),
      'must contain a visible character',
    ],
    [
      'a model',
      () => partner.call('POST', '/models', { name: 'x\u2028', authentication_method: 'MAC & Serial Number' }),
      'line breaks (U+2028)',
    ],
    [
      'a view',
      () => organization.call('session', 'POST', '/device-views', { name: '\ufeff', query: {} }),
      'invisible characters (U+FEFF)',
    ],
    ['an API key', () => partner.browse('POST', '/api-keys', { name: 'a\u2066b' }), 'direction of text (U+2066)'],
  ]
  for (const [what, call, message] of calls) {
    it(what, async () => {
      const { status, body } = await call()
      assert.equal(status, 422)
      assert.equal(body.details[0]!.field, 'name')
      assert.ok(body.details[0]!.message.includes(message), body.details[0]!.message)
    })
  }

  it('what is stored and returned is normalised and trimmed', async () => {
    const { status, body } = await organization.call('api_key', 'POST', '/groups', { name: ' Zoe\u0308\u00a0' })
    assert.deepEqual([status, body.name], [201, 'Zoë'])
  })
})
