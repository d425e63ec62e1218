import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { newMac, online, register, send } from '../../../../test/support/devices.ts'
import { fuzzSeed } from '../../../../test/support/fuzz-seed.ts'
import { startHarness, type TestResponse } from '../../../../test/support/harness.ts'
import { senders, startListener } from '../../../../test/support/mqtt.ts'
import { createOrganization } from '../../../../test/support/organization.ts'
import { newPartner } from '../../../../test/support/partners.ts'
import { parseExactly } from '../../platform/escaped-keys.ts'

const service = await startHarness()
const organization = await createOrganization(service)
const partner = await newPartner(service)
const { body: model } = await partner.call('POST', '/models', {
  name: 'Sensor',
  authentication_method: 'MAC & Serial Number',
})
const listener = await startListener(service.context)

async function claimed() {
  const mac = newMac()
  const device = await register(service, model, { mac, sn: mac })
  await organization.call('session', 'POST', '/devices/claim', { mac, sn: mac, model_id: model.id })
  return device
}

const apis: Record<string, (path: string) => Promise<TestResponse>> = {
  organization: (path) => organization.call('api_key', 'GET', path),
  partner: (path) => partner.call('GET', path),
}

const names = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.constantFrom(
    'a\nb',
    'a\u2028b',
    'a\u2029',
    'a\rb',
    'a\u0085b',
    'a\0',
    '\t',
    '__proto__',
    'constructor',
    'toString',
  ),
  fc.constantFrom('a,b', '"', "'", '=1+1', '-a', '\\', 'a.b', '$.a', '*', ' ', '\u00a0', '\u200b', '\ufeff', '0', '-1'),
)
const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(5e-324, -5e-324, 1e-320, 1.7976931348623157e308, -1.7976931348623157e308, 1e308, 1e-300, -0, 2 ** 53),
)
const values = fc.oneof(numbers, fc.boolean(), fc.string({ unit: 'grapheme', maxLength: 30 }))

/** JSON has one zero. */
// biome-ignore lint/suspicious/noExplicitAny: any JSON
function written(value: unknown): any {
  const text = JSON.stringify(value)
  return parseExactly(text)
}

describe('decisions 7.6, 7.7: what is stored is always readable, over every protocol and in every API', () => {
  for (const [protocol, sendBy] of Object.entries(senders(service, listener))) {
    it(`${protocol}: all accepted names and values are in the state, the history, the series and the CSV`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.dictionary(names, values, { minKeys: 1, maxKeys: 8 }), async (telemetries) => {
          const device = await claimed()
          const message = written(online(telemetries))
          const isOneLine = Object.keys(telemetries).every((name) => !/[\p{Cc}\u2028\u2029]/u.test(name))
          const isText = Object.entries(telemetries).every((pair) => pair.every((part) => !String(part).includes('\0')))
          assert.equal(await sendBy(device, message), isOneLine && isText)
          const expected = isOneLine && isText ? message.telemetries : undefined
          for (const [api, get] of Object.entries(apis)) await requireReadable(api, get, device.id, expected)
        }),
        { numRuns: 25, seed: fuzzSeed },
      )
    })
  }

  it('series: the min, max and average of any accepted numbers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(numbers, { minLength: 1, maxLength: 6 }), async (sent) => {
        const device = await claimed()
        for (const v of sent) assert.equal((await send(service, device, online({ v, a: 1 }))).status, 200)
        for (const [api, get] of Object.entries(apis)) {
          const { status, body } = await get(`/devices/${device.id}/series?keys=a,v&buckets=1`)
          assert.equal(status, 200, api)
          const [{ min, max, avg, count }] = body.series.v
          assert.deepEqual([min, max, count], [Math.min(...sent.map(zero)), Math.max(...sent.map(zero)), sent.length])
          assert.ok(min <= avg && avg <= max, `${min} ≤ ${avg} ≤ ${max}`)
        }
      }),
      { numRuns: 40, seed: fuzzSeed },
    )
  })

  it('series: of 5e-324, 0 and 0, whose average no float can hold, and of numbers whose sum none can', async () => {
    const device = await claimed()
    for (const v of [5e-324, 0, 0]) await send(service, device, online({ v, big: 1.7976931348623157e308 }))
    const { status, body } = await apis.partner!(`/devices/${device.id}/series?keys=v,big&buckets=1`)
    assert.equal(status, 200)
    const points = ['v', 'big'].map((key) => body.series[key][0])
    assert.deepEqual(
      points.map(({ min, max, avg, count }) => [min, max, avg, count]),
      [
        [0, 5e-324, 0, 3],
        [1.7976931348623157e308, 1.7976931348623157e308, 1.7976931348623157e308, 3],
      ],
    )
  })
})

const zero = (number: number) => number + 0

async function requireReadable(
  api: string,
  get: (path: string) => Promise<TestResponse>,
  id: string,
  expected: Record<string, unknown> | undefined,
): Promise<void> {
  const { body: device } = await get(`/devices/${id}`)
  const state = Object.entries(device.state).map(([key, point]) => [key, (point as { value: unknown }).value])
  assert.deepEqual(new Map(state as [string, unknown][]), new Map(Object.entries(expected ?? {})), `${api}: state`)
  const { body: history } = await get(`/devices/${id}/history`)
  assert.deepEqual(
    history.items.map(({ telemetries }: { telemetries: object }) => telemetries),
    expected ? [expected] : [],
    `${api}: history`,
  )
  if (!expected) return
  const drawn = Object.keys(expected).filter((key) => typeof expected[key] === 'number')
  if (drawn.length > 0) {
    // Repeated, since a name may contain a comma.
    const query = [...drawn, drawn[0]!].map((key) => `keys=${encodeURIComponent(key)}`).join('&')
    const { body: series } = await get(`/devices/${id}/series?${query}&buckets=1`)
    for (const key of drawn) assert.equal(series.series[key][0].avg, expected[key], `${api}: series of ${key}`)
  }
  const csv = await get(`/devices/${id}/history.csv`)
  assert.equal(String(csv.body).trimEnd().split('\r\n').length, 2, `${api}: ${csv.body}`)
}
