import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import { replaceDictionary } from '../../server/src/devices/registry/dictionary.ts'
import { settingReviewsJob } from '../../server/src/devices/settings/setting-reviews.ts'
import type { DictionaryEntry } from '../../server/src/devices/store/dictionaries.ts'
import { newModel, online, post, register, registration, send } from '../support/devices.ts'
import { type TestResponse, toTestResponse } from '../support/harness.ts'
import { until } from '../support/until.ts'
import * as rules from './rules/settings.ts'
import { assertVerdict, command, itKeepsTheModel } from './run-model.ts'
import { mustSucceed, startWorld } from './world.ts'

const { service, call } = await startWorld()

interface Real {
  device: { id: string; access_key: string }
  model: { id: string; partner_id: string }
}
type Model = rules.Settings

const entries: Record<rules.Key, DictionaryEntry> = {
  target: { key: 'target', type: 'number', min: 5, max: 30 },
  mode: { key: 'mode', type: 'text', values: [{ value: 'heat' }, { value: 'cool' }] },
  lock: { key: 'lock', type: 'boolean' },
}
const declare = async ({ model }: Real, declared: Set<string>) => {
  const data_points = Object.values(entries).map((entry) => ({ ...entry, settable: declared.has(entry.key) }))
  await replaceDictionary(service.context, { kind: 'operator' }, model.partner_id, model.id, { data_points })
}

const right = fc.oneof(
  fc.record({ key: fc.constant('target'), value: fc.constantFrom<rules.Value>(5, 20, 21.5, 30) }),
  fc.record({ key: fc.constant('mode'), value: fc.constantFrom<rules.Value>('heat', 'cool') }),
  fc.record({ key: fc.constant('lock'), value: fc.boolean() }),
)
const wrong = fc.record({
  key: fc.constantFrom('target', 'mode', 'lock', 'unknown', 'constructor'),
  value: fc.constantFrom<rules.Value>(4, 31, '20', 'dry', 0, true),
})
const one = fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: wrong })
const valuesOf = <Value>(list: { key: string; value: Value }[]) =>
  Object.fromEntries(list.map(({ key, value }) => [key, value]))
const values = fc.array(one, { minLength: 1, maxLength: 3 }).map(valuesOf)
const wished: fc.Arbitrary<rules.Values> = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: one },
      fc.record({ key: fc.constantFrom(...rules.keys), value: fc.constant(null) }),
    ),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map(valuesOf<rules.Value | null>)

const configOf = async ({ device }: Real): Promise<TestResponse> => {
  const headers = { authorization: device.access_key }
  return toTestResponse(await service.app.inject({ url: `/v1/devices/${device.id}/config`, headers }))
}
const say = ({ device }: Real, body: object) =>
  post(service, `/v1/devices/${device.id}/config`, body, { authorization: device.access_key })
const path = ({ device }: Real) => `/devices/${device.id}/settings`

const commands = [
  command<Model, Real, { who: rules.Caller; values: rules.Values; base: rules.Base }>(
    'want',
    fc.record({
      who: fc.oneof({ weight: 6, arbitrary: fc.constant('session' as const) }, fc.constantFrom(...rules.callers)),
      values: wished,
      base: fc.oneof({ weight: 3, arbitrary: fc.constant('none' as const) }, fc.constantFrom(...rules.bases)),
    }),
    async (model, real, { who, values, base }) => {
      const base_version = rules.numberOf(model, base)
      const body = { values, ...(base_version === undefined ? {} : { base_version }) }
      const response = await call(who, 'PATCH', path(real), body)
      if (!assertVerdict(response, rules.changing(model, who, values, base))) {
        if (response.status === 409) assert.equal(response.body.version, model.version)
        return
      }
      rules.change(model, values)
      assert.equal(response.body.version, model.version)
    },
    { weight: 6 },
  ),
  command<Model, Real, { values: Record<string, rules.Value>; base: Exclude<rules.Base, 'none'> }>(
    'change at the device',
    fc.record({
      values,
      base: fc.oneof({ weight: 4, arbitrary: fc.constant('current' as const) }, fc.constantFrom('older', 'newer')),
    }),
    async (model, real, { values, base }) => {
      const response = await say(real, { base_version: rules.numberOf(model, base), values })
      if (!assertVerdict(response, rules.changingAtDevice(model, values, base))) return
      rules.changeAtDevice(model, values)
      assert.deepEqual(response.body, { success: true, version: model.version })
    },
    { weight: 3 },
  ),
  command<Model, Real, rules.Report>(
    'report',
    fc.record({
      about: fc.oneof({ weight: 5, arbitrary: fc.constant('current' as const) }, fc.constantFrom('older', 'newer')),
      result: fc.constantFrom('applied', 'rejected'),
      details: fc.uniqueArray(
        fc.record({ key: fc.constantFrom(...rules.keys, 'unknown'), unsupported: fc.boolean() }),
        { maxLength: 2, selector: ({ key }) => key },
      ),
    }),
    async (model, real, input) => {
      const details = input.result === 'applied' && input.details.length % 2 === 0 ? [] : input.details
      const { about, result } = input
      const report = { about, result, details }
      const body = { version: rules.numberOf(model, about), result, ...(details.length > 0 ? { details } : {}) }
      const response = await say(real, body)
      if (!assertVerdict(response, rules.reporting(model, report))) return
      rules.report(model, report)
      assert.deepEqual(response.body, { success: true, version: model.version })
    },
    { weight: 6 },
  ),
  command<Model, Real, { declared: readonly string[] }>(
    'change the dictionary',
    fc.record({ declared: fc.oneof(fc.constant([...rules.keys]), fc.subarray([...rules.keys])) }),
    async (model, real, { declared }) => {
      model.declared = new Set(declared)
      await declare(real, model.declared)
      await settingReviewsJob(service.context).runShared()
    },
    { weight: 2 },
  ),
  command<Model, Real, { key: string; value: rules.Value }>(
    'send telemetry',
    right,
    async (model, real, { key, value }) => {
      service.clock.forward(0.01)
      const { status, body } = await send(service, real.device, online({ [key]: value }))
      assert.equal(status, model.removed ? 410 : 200, JSON.stringify(body))
      if (model.removed) return
      model.sent.set(key, value)
      assert.equal(body.config_version, model.version === 0 ? undefined : model.version)
    },
    { weight: 4 },
  ),
  command<Model, Real, { who: rules.Caller }>(
    'read',
    fc.record({ who: fc.constantFrom(...rules.callers) }),
    async (model, real, { who }) => {
      const response = await call(who, 'GET', path(real))
      if (assertVerdict(response, rules.reading(model, who))) assertSame(model, response)
    },
    { weight: 2 },
  ),
  command<Model, Real, null>(
    'remove',
    fc.constant(null),
    async (model, { device }) => {
      await mustSucceed(call('bearer', 'DELETE', `/devices/${device.id}`))
      model.removed = true
    },
    { when: ({ removed, version }) => !removed && version > 5 },
  ),
]

interface Shown {
  key: string
  desired: rules.Value | null
  state: string | null
}

function assertSame(model: Model, { body }: TestResponse): void {
  assert.deepEqual(
    [body.version, body.reported_version, body.state],
    [model.version, model.reported, rules.worstOf(model)],
  )
  const shown = (body.values as Shown[]).filter(({ desired }) => desired !== null)
  assert.deepEqual(
    shown.map(({ key, desired, state }) => [key, desired, state]).toSorted(),
    [...model.wanted].map(([key, { value }]) => [key, value, rules.stateOf(model, key)]).toSorted(),
  )
}

async function look(model: Model, real: Real): Promise<void> {
  const response = await call('session', 'GET', path(real))
  if (assertVerdict(response, rules.reading(model, 'session'))) {
    assertSame(model, response)
    const config = await configOf(real)
    const wanted = Object.fromEntries([...model.wanted].map(([key, { value }]) => [key, value]))
    assert.deepEqual([config.body.version, config.body.config], [model.version, wanted])
  }
  const worst = model.removed ? null : rules.worstOf(model)
  await until(
    async () => {
      const found: string[] = []
      for (const state of ['in_sync', 'pending', 'rejected', 'unsupported']) {
        const { body } = await call('session', 'GET', `/devices?settings=${state}&model_id=${real.model.id}`)
        if (body.items.some(({ id }: { id: string }) => id === real.device.id)) found.push(state)
      }
      return JSON.stringify(found) === JSON.stringify(worst === null ? [] : [worst])
    },
    `the list says ${worst}`,
    10,
  )
  const events = await call(
    'session',
    'GET',
    `/audit-events?type=settings.changed&device_id=${real.device.id}&limit=100`,
  )
  assert.equal(events.body.items.length, model.changes)
}

describe('desired settings', () => {
  itKeepsTheModel<Model, Real>('settings', {
    commands,
    look,
    async begin() {
      const created = await newModel(service)
      const label = registration(created) as { mac: string; sn: string }
      const device = await register(service, created, label)
      const real = { device, model: created }
      await declare(real, new Set(rules.keys))
      await mustSucceed(
        call('session', 'POST', '/devices/claim', { mac: label.mac, sn: label.sn, model_id: created.id }),
      )
      const model: Model = {
        ...{ version: 0, reported: null, wanted: new Map(), sent: new Map() },
        ...{ declared: new Set(rules.keys), removed: false, changes: 0 },
      }
      return { model, real }
    },
  })
})
