import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { newModel, register } from '../../../../test/support/devices.ts'
import { fuzzSeed } from '../../../../test/support/fuzz-seed.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { getDevice } from '../registry/devices.ts'
import { readHistory } from './history.ts'
import { ingest, keyDigest } from './ingest.ts'

const service = await startHarness()
const model = await newModel(service)
const owner = { partner_id: model.partner_id }

interface Sent {
  /** Seconds from its timestamp to its arrival; undefined for a message without a timestamp. */
  age: number | undefined
  repeated: boolean
  status: 'online' | 'offline' | 'error'
  keys: string[]
  /** Those of the keys that it removes, as bits. */
  removed: number
  /** It replaces the whole state. */
  override: boolean
  /** Seconds until the next one arrives; 0 means the same instant. */
  pause: number
}

const sent: fc.Arbitrary<Sent> = fc.record({
  age: fc.option(fc.integer({ min: -300, max: 300 }), { nil: undefined }),
  repeated: fc.boolean(),
  status: fc.constantFrom('online', 'offline', 'error'),
  keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', '__proto__'), { maxLength: 6 }),
  removed: fc.oneof(fc.constant(0), fc.nat(63)),
  override: fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
  pause: fc.constantFrom(0, 0, 1, 7),
})

interface SentMessage {
  at: number
  values: Record<string, number | null>
  override: boolean
  status: string
}

/** The rule: in order of the earlier of timestamp and arrival, then arrival, the last value of each key counts; null and override remove. */
function expectedState(sent: SentMessage[]): { values: Map<string, number>; status: string | undefined } {
  const values = new Map<string, number>()
  let status: string | undefined
  // The sort is stable: `sent` is in order of arrival.
  for (const message of sent.toSorted((one, other) => one.at - other.at)) {
    if (message.override) values.clear()
    for (const [key, value] of Object.entries(message.values)) {
      if (value === null) values.delete(key)
      else values.set(key, value)
    }
    status = message.status
  }
  return { values, status }
}

describe('decision 7.7: state is merged by key and never goes backwards', () => {
  it('shuffled, duplicated and late messages, against a model that sorts them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 25 }), async (messages) => {
        const device = await register(service, model)
        const sent: SentMessage[] = []
        const bodies: object[] = []
        const say = async (body: object) => {
          const outcome = await ingest(service.context, {
            device_id: device.id,
            key_digest: keyDigest(device.access_key),
            body,
          })
          assert.equal(outcome.status, 200, JSON.stringify(outcome))
        }
        for (const [index, { age, repeated, status, keys, removed, override, pause }] of messages.entries()) {
          const now = service.clock.now().getTime()
          const at = age === undefined ? now : now - age * 1000
          const values = Object.fromEntries(keys.map((key, bit) => [key, removed & (1 << bit) ? null : index]))
          const id = age === undefined ? {} : { timestamp: new Date(at).toISOString(), message_id: `m${index}` }
          const body = { status, telemetries: values, ...(override ? { override } : {}), ...id }
          await say(body)
          sent.push({ at: Math.min(at, now), values, override, status })
          if (age !== undefined) bodies.push(body)
          service.clock.forward(pause)
          // A repeat of any message so far, with its own id, changes nothing.
          if (repeated && bodies.length > 0) await say(bodies[(index * 7) % bodies.length]!)
        }
        const { state, status } = await getDevice(service.context, owner, device.id)
        const expected = expectedState(sent)
        assert.deepEqual(
          new Map(Object.entries(state).map(([key, { value }]) => [key, value])),
          new Map([...expected.values].toSorted()),
        )
        assert.equal(status, expected.status)
      }),
      { numRuns: 60, seed: fuzzSeed },
    )
  })

  it('a repeat updates last_seen_at, which goes by arrival', async () => {
    const device = await register(service, model)
    const body = { status: 'online', telemetries: {}, timestamp: service.clock.now().toISOString(), message_id: 'm' }
    const credentials = { device_id: device.id, key_digest: keyDigest(device.access_key) }
    await ingest(service.context, { ...credentials, body })
    service.clock.forward(50)
    await ingest(service.context, { ...credentials, body })
    assert.deepEqual((await getDevice(service.context, owner, device.id)).last_seen_at, service.clock.now())
  })

  it('messages of one device that arrive at once are stored in the order of arrival', async () => {
    const device = await register(service, model)
    await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        ingest(service.context, {
          device_id: device.id,
          key_digest: keyDigest(device.access_key),
          body: { status: 'online', telemetries: { n, [`k${n % 5}`]: n } },
        }),
      ),
    )
    const { state } = await getDevice(service.context, owner, device.id)
    assert.equal(state.n!.value, 199)
    for (const k of [0, 1, 2, 3, 4]) assert.equal(state[`k${k}`]!.value, 195 + k)
  })

  describe('has at most 2,000 data points: a message that would add more is refused, and none is ever dropped', () => {
    const named = (prefix: string, count: number, value: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, value]))
    const say = (device: { id: string; access_key: string }, telemetries: object, more: object = {}) =>
      ingest(service.context, {
        device_id: device.id,
        key_digest: keyDigest(device.access_key),
        body: { status: 'online', telemetries, ...more },
      })
    const read = async (id: string) => (await getDevice(service.context, owner, id)).state
    async function fullDevice() {
      const device = await register(service, model)
      for (const round of [0, 1, 2, 3]) {
        service.clock.forward(1)
        assert.equal((await say(device, named(`r${round}k`, 500, round))).status, 200)
      }
      assert.equal(Object.keys(await read(device.id)).length, 2_000)
      return device
    }

    for (const [kind, more] of [
      ['without an id', () => ({})],
      ['with an id', () => ({ timestamp: service.clock.now().toISOString(), message_id: 'over' })],
      ['that comes late', () => ({ timestamp: new Date(service.clock.now().getTime() - 60_000).toISOString() })],
    ] as const) {
      it(`a message ${kind} with the 2,001st → 422 that names the limit, and neither state nor history has it`, async () => {
        const device = await fullDevice()
        const outcome = await say(device, { r0k0: 9, another: 1 }, more())
        assert.equal(outcome.status, 422)
        assert.match(JSON.stringify(outcome), /"field":"telemetries".*2,000 data points/)
        const state = await read(device.id)
        assert.deepEqual([Object.keys(state).length, state.r0k0!.value, state.another], [2_000, 0, undefined])
        const { items } = await readHistory(service.context, owner, device.id, { from: new Date(0), limit: 100 })
        assert.equal(items.length, 4)
      })
    }

    it('messages with data points it has are still stored, in any mixture', async () => {
      const device = await fullDevice()
      for (const [n, keys] of [['r0k0'], ['r0k1', 'r3k499'], [], ['r2k7'], ['r1k1', 'r0k0']].entries()) {
        service.clock.forward(1)
        assert.equal((await say(device, Object.fromEntries(keys.map((key) => [key, 100 + n])))).status, 200)
      }
      const state = await read(device.id)
      assert.equal(Object.keys(state).length, 2_000)
      assert.deepEqual([state.r0k0!.value, state.r0k1!.value, state.r2k7!.value, state.r1k5!.value], [104, 101, 103, 1])
    })

    it('one full device does not fail others in its batch, and a wrong key stays a 401', async () => {
      const [full, other] = [await fullDevice(), await register(service, model)]
      const outcomes = await Promise.all([
        say(full, { another: 1 }),
        say(other, { another: 1 }),
        say({ ...full, access_key: 'wrong' }, { another: 1 }),
        say(full, { r0k0: 5 }),
      ])
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        [422, 200, 401, 200],
      )
    })

    it('a repeat of a message of a full device is still a success', async () => {
      const device = await register(service, model)
      const id = { timestamp: service.clock.now().toISOString(), message_id: 'm' }
      assert.equal((await say(device, named('r0k', 500, 0), id)).status, 200)
      for (const round of [1, 2, 3]) await say(device, named(`r${round}k`, 500, round))
      service.clock.forward(1)
      assert.equal((await say(device, named('r0k', 500, 0), id)).status, 200)
    })
  })
})
