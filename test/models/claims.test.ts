import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe } from 'node:test'
import fc from 'fast-check'
import { newMac, post, send } from '../support/devices.ts'
import { newPartner } from '../support/partners.ts'
import { Etags } from './etags.ts'
import * as rules from './rules/claims.ts'
import { type Match, matches } from './rules/verdict.ts'
import { assertVerdict, command, itKeepsTheModel, pick, readAll } from './run-model.ts'
import { mustSucceed, startWorld } from './world.ts'

const { service, headers, call, refresh } = await startWorld()
const partner = await newPartner(service)
headers.partner = { authorization: partner.key }
const input = { name: 'Sensor', authentication_method: 'MAC & Serial Number' }
const deviceModel = (await mustSucceed(partner.call('POST', '/models', input))).body
const spaces = {
  ours: (await mustSucceed(call('session', 'POST', '/spaces', { name: 'Hall' }))).body.id as string,
  theirs: (await mustSucceed(call('stranger', 'POST', '/spaces', { name: 'Hall' }))).body.id as string,
  unknown: randomUUID(),
}

interface Real {
  etags: Etags
  /** Of this sequence. */
  labels: { mac: string; sn: string }[]
}
type Model = rules.Claims

const claimer = fc.constantFrom(...rules.claimers, 'session' as const)
const who = fc.constantFrom(...rules.actors)
const label = fc.nat(2)
const anyLabel = fc.option(label, { freq: 5 })
const place = fc.oneof({ weight: 2, arbitrary: fc.constant<rules.Place>('none') }, fc.constantFrom(...rules.places))
const name = fc.constantFrom(null, 'Room 201', 'room 201', '=1+1')
const hasDevices = ({ devices }: Model) => devices.length > 0

function spaceId(who: rules.Actor, place: rules.Place): string | null {
  if (place === 'none') return null
  if (place === 'unknown') return spaces.unknown
  return (place === 'own') === (who !== 'stranger') ? spaces.ours : spaces.theirs
}

/** A label that no device has, where the number is null. */
function claimOf({ labels }: Real, who: rules.Actor, { label, place, name }: rules.Line) {
  const { mac, sn } = label === null ? { mac: newMac(), sn: 'SN-unknown' } : labels[label]!
  // A MAC is the same in either case.
  return { mac: mac.toUpperCase(), sn, model_id: deviceModel.id as string, name, space_id: spaceId(who, place) }
}

const pathOf = (who: rules.Actor, id: string) =>
  who === 'partner' ? `/core/v1/partner/devices/${id}` : `/devices/${id}`

function assertDevice(who: rules.Actor, body: Record<string, unknown>, device: rules.Device): void {
  assert.equal(body.id, device.id)
  if (who === 'partner') {
    assert.equal(body.claimed, device.owner !== null)
    assert.deepEqual([body.name, body.space_id, body.customer_id], [undefined, undefined, undefined])
    return
  }
  assert.equal(body.name, device.name)
  assert.equal(body.space_id, device.inSpace ? spaceId(who, 'own') : null)
}

/** `claimed, 119 × claim_failed`. */
function shortly(outcomes: string[]): string {
  const groups: [outcome: string, count: number][] = []
  for (const outcome of outcomes) {
    const last = groups.at(-1)
    if (last?.[0] === outcome) last[1] += 1
    else groups.push([outcome, 1])
  }
  return groups.map(([outcome, count]) => (count > 1 ? `${count} × ${outcome}` : outcome)).join(', ')
}

interface Change {
  who: Exclude<rules.Actor, 'partner'>
  which: number
  match: Match
  name?: string | null
  place?: rules.Place
}

const commands = [
  command<Model, Real, { label: number }>(
    'register',
    fc.record({ label }),
    async (model, real, { label }) => {
      const verdict = rules.registering(model, label)
      const { id: device_model, hardware_key } = deviceModel
      const { mac, sn } = real.labels[label]!
      const body = { device_model, hardware_key, mac, sn, firmware_version: '1.0.0' }
      const response = await post(service, '/v1/devices', body)
      if (!assertVerdict(response, verdict)) return
      const { id, access_key } = response.body
      const same = rules.liveWith(model, label)
      if (same) {
        assert.equal(id, same.id)
        same.keys.push(access_key)
        return
      }
      const fresh = { owner: null, name: null, inSpace: false, used: false, removed: false }
      model.devices.push({ id, label, keys: [access_key], ...fresh })
    },
    { weight: 4 },
  ),
  command<Model, Real, { which: number; key: number }>(
    'send telemetry',
    fc.record({ which: fc.nat(), key: fc.nat() }),
    async (model, _, { which, key }) => {
      const device = pick(model.devices, which)
      const access_key = pick(device.keys.toReversed(), key)
      const response = await send(service, { id: device.id, access_key }, { status: 'online', telemetries: { t: 1 } })
      if (assertVerdict(response, rules.sending(device, access_key))) device.used = true
    },
    { when: hasDevices },
  ),
  command<Model, Real, { who: rules.Actor } & rules.Line>(
    'claim',
    fc.record({ who, label: anyLabel, place, name }),
    async (model, real, { who, ...line }) => {
      const verdict = rules.claiming(model, who, line.label, line.place)
      const response = await call(who, 'POST', '/devices/claim', claimOf(real, who, line))
      if (response.body.code === 'claim_failed') model.failed[rules.budgetOf(who as rules.Claimer)] += 1
      if (!assertVerdict(response, verdict)) return
      const device = rules.liveWith(model, line.label!)!
      rules.applyClaim(device, who, line)
      assertDevice(who, response.body, device)
    },
    { when: (_, { who }) => who !== 'partner', weight: 4 },
  ),
  command<Model, Real, { who: rules.Claimer; lines: rules.Line[]; wrong: number }>(
    'claim a list',
    fc.record({
      who: claimer,
      lines: fc.array(fc.record({ label: anyLabel, place, name }), { minLength: 1, maxLength: 6 }),
      // Sometimes enough to use up the attempts of a minute.
      wrong: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.constantFrom(118, 119, 120, 121)),
    }),
    async (model, real, { who, lines, wrong }) => {
      const guesses = Array.from({ length: wrong }, (): rules.Line => ({ label: null, place: 'none', name: null }))
      const all = [...lines.slice(0, 3), ...guesses, ...lines.slice(3)]
      const response = await call(who, 'POST', '/devices/claim-list', {
        devices: all.map((line) => claimOf(real, who, line)),
      })
      const outcomes = rules.claimList(model, who, all)
      assert.equal(response.status, 200)
      const got = response.body.results.map(({ outcome }: { outcome: string }) => outcome)
      assert.equal(shortly(got), shortly(outcomes))
      const stopped = outcomes.includes('not_tried')
      assert.equal(response.body.retry_after_seconds !== null, stopped)
    },
    { weight: 2 },
  ),
  command<Model, Real, null>('wait a minute', fc.constant(null), async (model) => {
    service.clock.forward(60)
    model.failed = { session: 0, keys: 0, stranger: 0 }
  }),
  command<Model, Real, { who: rules.Actor; which: number }>(
    'read',
    fc.record({ who, which: fc.nat() }),
    async (model, _, { who, which }) => {
      const device = pick(model.devices, which)
      const response = await call(who, 'GET', pathOf(who, device.id))
      if (assertVerdict(response, rules.reading(who, device))) assertDevice(who, response.body, device)
    },
    { when: hasDevices },
  ),
  command<Model, Real, Change>(
    'change',
    fc.record(
      {
        who: fc.constantFrom('session', 'api_key', 'bearer', 'viewer', 'removed', 'stranger'),
        which: fc.nat(),
        match: fc.constantFrom(...matches),
        name,
        place,
      },
      { requiredKeys: ['who', 'which', 'match'] },
    ),
    async (model, { etags }, { who, which, match, name, place }) => {
      const device = pick(model.devices, which)
      const path = `/devices/${device.id}`
      const reader = device.owner === 'theirs' ? 'stranger' : 'session'
      etags.note(device.id, await call(reader, 'GET', path))
      const verdict = rules.changing({ who, device, place, match })
      const body = {
        ...(name === undefined ? {} : { name }),
        ...(place === undefined ? {} : { space_id: spaceId(who, place) }),
      }
      const response = await call(who, 'PATCH', path, body, etags.header(device.id, match))
      if (!assertVerdict(response, verdict)) return
      if (name !== undefined) device.name = name
      if (place !== undefined) device.inSpace = place === 'own'
      assertDevice(who, response.body, device)
    },
    { when: (model, { name, place }) => hasDevices(model) && (name !== undefined || place !== undefined), weight: 2 },
  ),
  command<Model, Real, { who: rules.Actor; which: number }>(
    'remove',
    fc.record({ who, which: fc.nat() }),
    async (model, _, { who, which }) => {
      const device = pick(model.devices, which)
      const response = await call(who, 'DELETE', pathOf(who, device.id))
      if (assertVerdict(response, rules.removing(who, device))) device.removed = true
    },
    { when: hasDevices },
  ),
  command<Model, Real, { who: rules.Claimer; which: number[] }>(
    'remove a list',
    fc.record({ who: claimer, which: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }) }),
    async (model, _, { who, which }) => {
      const devices = which.map((number) => pick(model.devices, number))
      const response = await call(who, 'POST', '/devices/remove-list', { device_ids: devices.map(({ id }) => id) })
      assert.equal(response.status, 200)
      const got = response.body.results.map(({ outcome }: { outcome: string }) => outcome)
      assert.deepEqual(got, rules.removeList(who, devices))
    },
    { when: hasDevices },
  ),
]

async function look(model: Model, { labels }: Real): Promise<void> {
  for (const who of rules.actors) {
    const list = who === 'partner' ? '/core/v1/partner/devices' : '/devices'
    if (who === 'removed') {
      assert.equal((await call(who, 'GET', list)).status, 403)
      continue
    }
    const all = await readAll((page) => call(who, 'GET', `${list}?${page}`), 100)
    const items = all.filter(({ sn }) => labels.some((label) => label.sn === sn))
    const expected = model.devices.filter((device) => rules.owns(who, device))
    assert.deepEqual(items.map(({ id }) => id).toSorted(), expected.map(({ id }) => id).toSorted(), who)
    for (const device of expected) assertDevice(who, items.find(({ id }) => id === device.id)!, device)
  }
}

describe('claims', () => {
  itKeepsTheModel<Model, Real>('claims', {
    commands,
    look,
    async begin() {
      // The devices of the sequence before leave the lists; the attempts of its minute too.
      await service.sql`update devices set removed_at = now(), space_id = null where removed_at is null`
      service.clock.forward(60)
      await refresh()
      const labels = [newMac(), newMac(), newMac()].map((mac) => ({ mac, sn: `SN-${mac}` }))
      const model: Model = { devices: [], failed: { session: 0, keys: 0, stranger: 0 } }
      return { model, real: { etags: new Etags(), labels } }
    },
  })
})
