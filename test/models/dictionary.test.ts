import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { password } from '../support/applications.ts'
import { register, registration, send } from '../support/devices.ts'
import { sessionHeaders } from '../support/organization.ts'
import { newPartner } from '../support/partners.ts'
import { Etags } from './etags.ts'
import * as rules from './rules/dictionary.ts'
import { type Match, matches } from './rules/verdict.ts'
import { assertVerdict, command, itKeepsTheModel } from './run-model.ts'
import { mustSucceed, startWorld } from './world.ts'

const { service, headers, call } = await startWorld({ LANDBRIDGE_QUOTAS: 'models=1000000' })
const [owner, rival] = [await newPartner(service), await newPartner(service, { name: 'Rival' })]
headers.partner = { authorization: owner.key }
headers.portal = await sessionHeaders(service, { email: owner.email, password })
headers.rival = { authorization: rival.key }

interface Real {
  modelId: string
  hardwareKey: string
  device: { id: string; access_key: string } | null
  etags: Etags
}
type Model = rules.Dictionaries

const numbers = fc.constantFrom(-1, 0, 0.5, 2)
const value = fc.constantFrom<number | string | boolean>(0, 1, 'on', '', true, false)
const meaning = fc.record(
  { value, label: fc.constantFrom('Off', 'Ünlock'), alarm: fc.boolean() },
  { requiredKeys: ['value'], noNullPrototype: true },
)
const entry: fc.Arbitrary<rules.Entry> = fc.record(
  {
    key: fc.constantFrom('t', 'mode', 'door.open', '__proto__', 'constructor'),
    type: fc.constantFrom('number', 'boolean', 'text'),
    label: fc.constantFrom('Temperature', 'Mode'),
    unit: fc.constantFrom('°C'),
    decimals: fc.nat(10),
    min: numbers,
    max: numbers,
    values: fc.array(meaning, { maxLength: 2 }),
    chart: fc.boolean(),
  },
  { requiredKeys: ['key', 'type'], noNullPrototype: true },
)
/** Most of what is generated freely would be refused. */
const rightEntry = entry.map(({ key, type, label, values, chart, min, max, unit, decimals }): rules.Entry => {
  const isNumber = type === 'number'
  const own = values?.filter(({ value }) => (typeof value === 'string' ? 'text' : typeof value) === type)
  const seen = new Set<unknown>()
  const distinct = own?.filter(({ value }) => !seen.has(value) && seen.add(value))
  return {
    ...{ key, type },
    ...(label === undefined ? {} : { label }),
    ...(chart === undefined ? {} : { chart }),
    ...(distinct === undefined ? {} : { values: distinct }),
    ...(isNumber && unit !== undefined ? { unit } : {}),
    ...(isNumber && decimals !== undefined ? { decimals } : {}),
    ...(isNumber && min !== undefined ? { min } : {}),
    ...(isNumber && max !== undefined && (min === undefined || min <= max) ? { max } : {}),
  }
})
const many = fc
  .record({ count: fc.constantFrom(20, 21, 200, 201), chart: fc.boolean() })
  .map(({ count, chart }) =>
    Array.from(
      { length: count },
      (_, index): rules.Entry => ({ key: `p${index}`, type: 'number', ...(chart ? { chart } : {}) }),
    ),
  )
const entries = fc.oneof(
  { weight: 6, arbitrary: fc.uniqueArray(rightEntry, { maxLength: 4, selector: ({ key }) => key }) },
  { weight: 2, arbitrary: fc.array(entry, { maxLength: 3 }) },
  { weight: 1, arbitrary: many },
)

const pathOf = (who: rules.Reader, { modelId }: Real) =>
  `/core/v1/${rules.partners.some((name) => name === who) ? 'partner' : 'organization'}/models/${modelId}/dictionary`

const commands = [
  command<Model, Real, { who: rules.Partner; entries: rules.Entry[]; match: Match }>(
    'replace',
    fc.record({ who: fc.constantFrom(...rules.partners), entries, match: fc.constantFrom(...matches) }),
    async (model, real, { who, entries, match }) => {
      const verdict = rules.replacing({ who, entries, match })
      const header = real.etags.header(real.modelId, match)
      const response = await call(who, 'PUT', pathOf(who, real), { data_points: entries }, header)
      if (!assertVerdict(response, verdict)) return
      assert.deepEqual(response.body, { data_points: entries })
      if (!isDeepStrictEqual(model.entries, entries)) model.changes += 1
      model.entries = entries
      real.etags.note(real.modelId, response)
    },
    { weight: 5 },
  ),
  command<Model, Real, { who: rules.Reader }>(
    'read',
    fc.record({ who: fc.constantFrom(...rules.readers) }),
    async (model, real, { who }) => {
      const response = await call(who, 'GET', pathOf(who, real))
      if (assertVerdict(response, rules.reading(model, who)))
        assert.deepEqual(response.body, { data_points: model.entries })
    },
  ),
  command<Model, Real, { who: 'partner' | 'portal' }>(
    'send back what was read',
    fc.record({ who: fc.constantFrom('partner', 'portal') }),
    async (_, real, { who }) => {
      const path = pathOf(who, real)
      const read = await call(who, 'GET', path)
      const sent = await call(who, 'PUT', path, read.body, { 'if-match': String(read.headers.etag) })
      assert.deepEqual([sent.status, sent.headers.etag, sent.body], [200, read.headers.etag, read.body])
    },
  ),
  command<Model, Real, null>(
    'claim a device',
    fc.constant(null),
    async (model, real) => {
      const deviceModel = { id: real.modelId, hardware_key: real.hardwareKey }
      const label = registration(deviceModel) as { mac: string; sn: string }
      real.device = await register(service, deviceModel, label)
      const claim = { mac: label.mac, sn: label.sn, model_id: real.modelId }
      await mustSucceed(call('session', 'POST', '/devices/claim', claim))
      model.hasDevice = true
    },
    { when: ({ hasDevice }) => !hasDevice },
  ),
  command<Model, Real, null>(
    'remove the device',
    fc.constant(null),
    async (model, { device }) => {
      await mustSucceed(call('bearer', 'DELETE', `/devices/${device!.id}`))
      model.hasDevice = false
    },
    { when: ({ hasDevice }) => hasDevice },
  ),
  command<Model, Real, { key: string; value: number | string | boolean }>(
    'send telemetry',
    fc.record({ key: fc.constantFrom('t', 'mode', 'unknown', 'constructor'), value }),
    async (model, { device }, { key, value }) => {
      service.clock.forward(0.01)
      const { status, body } = await send(service, device!, { status: 'online', telemetries: { [key]: value } })
      assert.equal(status, 200, JSON.stringify(body))
      const read = await call('viewer', 'GET', `/devices/${device!.id}`)
      assert.equal(read.body.state[key].value, value, JSON.stringify(read.body.state))
      if (rules.isAlarm(model, key, value)) assert.notEqual(read.body.alarm, null)
    },
    { when: ({ hasDevice }) => hasDevice, weight: 3 },
  ),
]

async function look(model: Model, real: Real): Promise<void> {
  for (const who of rules.readers) {
    const response = await call(who, 'GET', pathOf(who, real))
    if (assertVerdict(response, rules.reading(model, who)))
      assert.deepEqual(response.body, { data_points: model.entries }, who)
  }
  const { body } = await call('portal', 'GET', `/core/v1/partner/models/${real.modelId}/openapi.json`)
  const { properties } = body.components.schemas.Telemetry.properties.telemetries
  assert.deepEqual(Object.keys(properties ?? {}).toSorted(), model.entries.map(({ key }) => key).toSorted())
  const events = await call('partner', 'GET', '/core/v1/partner/audit-events?type=model.dictionary_changed&limit=100')
  const own = events.body.items.filter(
    (event: { details: { model_id: string } }) => event.details.model_id === real.modelId,
  )
  assert.equal(own.length, model.changes)
}

describe('data dictionaries', () => {
  itKeepsTheModel<Model, Real>('dictionary', {
    commands,
    look,
    async begin() {
      const input = { name: 'Sensor', authentication_method: 'MAC & Serial Number' }
      const { body } = await mustSucceed(owner.call('POST', '/models', input))
      const real: Real = { modelId: body.id, hardwareKey: body.hardware_key, device: null, etags: new Etags() }
      real.etags.note(real.modelId, await call('partner', 'GET', pathOf('partner', real)))
      return { model: { entries: [], hasDevice: false, changes: 0 }, real }
    },
  })
})
