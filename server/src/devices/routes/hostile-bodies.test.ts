import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { nextAddress } from '../../../../test/support/applications.ts'
import { newModel, register } from '../../../../test/support/devices.ts'
import { startHarness, toTestResponse } from '../../../../test/support/harness.ts'
import { startListener, WireDevice } from '../../../../test/support/mqtt.ts'
import { requireWithin } from '../../../../test/support/until.ts'
import { buildPinnedApp } from '../../build-app.ts'
import type { App } from '../../platform/http/app.ts'
import { jsonLimits, massLimits, ownLimits } from '../../platform/own-limits.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { createCertificate } from '../../platform/tls/self-signed-certificate.ts'

const service = await startHarness()
const pinned = await buildPinnedApp(service.context, await createCertificate([], new Date()))
after(() => pinned.close())
await pinned.ready()
const model = await newModel(service)

/** The processor time of the main thread, without that of other processes. */
function worked(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The response, and the longest time in milliseconds that the main thread was blocked. */
async function blocked(app: App, url: string, payload: string, remoteAddress = nextAddress()) {
  const headers = { 'content-type': 'application/json' }
  let longest = 0
  let last = worked()
  const tick = () => {
    const now = worked()
    longest = Math.max(longest, now - last)
    last = now
  }
  const ticks = setInterval(tick, 1)
  const response = await app.inject({ method: 'POST', url, payload, headers, remoteAddress })
  tick()
  clearInterval(ticks)
  return { ...toTestResponse(response), raw: response.body, milliseconds: longest }
}

const repeated = (part: (index: number) => string, bytes: number): string => {
  const parts: string[] = []
  for (let length = 0, index = 0; length < bytes; index += 1) {
    parts.push(part(index))
    length += parts[index]!.length + 1
  }
  return parts.join()
}

/** The largest valid mass call, but with wrong keys: what a valid call costs before its keys are checked. */
function validBody(): string {
  const telemetries: Record<string, number> = {}
  for (let index = 0; index < 300; index += 1) telemetries[`temperature_${index}`] = 20.5 + index
  const text = JSON.stringify(telemetries)
  const entry = () => `{"id":"${newId()}","access_key":"x","status":"online","telemetries":${text}}`
  return `{"devices":[${Array.from({ length: 1_000 }, entry).join()}]}`
}

const bytes = massLimits.bytes - 100
const numbers = repeated(() => `[${Array(1_900).fill(1).join()}]`, bytes / 2 - 8_000)
const hostile: Record<string, string> = {
  'a million members beside devices': `{"devices":[{}],${repeated((index) => `"${index}":0`, bytes)}}`,
  'members with different names': `{"devices":[{}],${repeated((index) => `"k${index}":0`, bytes)}}`,
  'a data point of a million members': `{"devices":[{"telemetries":{${repeated((index) => `"${index * 7_919}":0`, bytes)}}}]}`,
  'four million lists in each other': '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'lists that never close': '['.repeat(bytes),
  'objects in each other': `${'{"a":'.repeat(bytes / 6)}0${'}'.repeat(bytes / 6)}`,
  'a list of millions of objects': `{"devices":[${repeated(() => '{}', bytes)}]}`,
  'millions of objects in short lists': `{"devices":[${repeated(() => `[${Array(500).fill('{}').join()}]`, bytes)}]}`,
  'millions of numbers beside names with escapes': `{"devices":[{}],"\\n":[${numbers}],"\\t":[${numbers}]}`,
  'one text of escapes': `{"x":"${'\\"'.repeat(bytes / 2 - 20)}"}`,
}

describe('decision 7.8: mass telemetry without credentials', () => {
  const apps: Record<string, App> = { HTTP: service.app, 'HTTPS with the static certificate': pinned }

  for (const [name, app] of Object.entries(apps)) {
    it(`${name}: no body of 8 MiB blocks the main thread longer than a valid one, and each gets a 4xx`, async () => {
      const valid = validBody()
      assert.ok(valid.length > massLimits.bytes * 0.7 && valid.length < massLimits.bytes, String(valid.length))
      for (const [title, body] of Object.entries(hostile)) {
        // One after the other, since a shared machine is twice as slow a second later. Now and then a collection of garbage
        // falls into one: what the body itself costs more, it costs each time.
        await requireWithin(50, async () => {
          const usual = await blocked(app, '/v1/devices/telemetry', valid)
          assert.equal(usual.status, 200)
          const refused = await blocked(app, '/v1/devices/telemetry', body)
          assert.ok(refused.status >= 400 && refused.status < 500, `${title}: ${refused.status}`)
          assert.ok(refused.raw.length < 10_000, `${title}: a response of ${refused.raw.length} bytes`)
          return refused.milliseconds - usual.milliseconds
        })
      }
    })
  }

  it(`an address may send ${ownLimits.refusedLargeCallsPerAddress} large calls that store nothing, then 429 before the body is read`, async () => {
    const address = nextAddress()
    const large = `{"devices":[{}],"x":"${'x'.repeat(ownLimits.largeBodyBytes)}"}`
    const send = async (body: string) => (await blocked(service.app, '/v1/devices/telemetry', body, address)).status
    for (let n = 0; n < ownLimits.refusedLargeCallsPerAddress; n += 1) assert.equal(await send(large), 422)
    assert.equal(await send(large), 429)
    assert.equal(await send('{"devices":[{}]}'), 200, 'small calls are not concerned')
    service.clock.forward(61)
    assert.equal(await send(large), 422)
  })

  it('large calls that store something are not limited', async () => {
    const address = nextAddress()
    const { id, access_key } = await register(service, model)
    const telemetries: Record<string, string> = {}
    for (let index = 0; index < 70; index += 1) telemetries[`text_${index}`] = 'x'.repeat(1_000)
    const body = JSON.stringify({ devices: [{ id, access_key, status: 'online', telemetries }] })
    for (let n = 0; n < ownLimits.refusedLargeCallsPerAddress + 5; n += 1) {
      assert.equal((await blocked(service.app, '/v1/devices/telemetry', body, address)).status, 200)
    }
  })

  it('in a large call one right key never vouches for another message, first or later', async () => {
    const { id, access_key } = await register(service, model)
    const telemetries = { text: 'x'.repeat(1_000) }
    const right = { id, access_key, status: 'online', telemetries }
    const wrong = { ...right, access_key: 'x' }
    const invalid = { ...right, status: 'asleep' }
    const padding = Array<object>(70).fill(right)
    const devices = [wrong, { ...wrong, status: 'asleep' }, invalid, ...padding]
    for (const entries of [devices, devices.toReversed()]) {
      const body = JSON.stringify({ devices: entries })
      assert.ok(body.length > ownLimits.largeBodyBytes)
      const { body: reply } = await blocked(service.app, '/v1/devices/telemetry', body)
      const statuses = reply.results.map((result: { status: number }) => result.status)
      const expected = [401, 401, 422, ...padding.map(() => 200)]
      assert.deepEqual(statuses, entries === devices ? expected : expected.toReversed())
    }
  })

  it('one device with too many or nested data points still has its own result', async () => {
    const many = Object.fromEntries(Array.from({ length: 1_900 }, (_, index) => [`k${index}`, index]))
    const { id, access_key } = await register(service, model)
    const entry = (telemetries: object) => ({ id, access_key, status: 'online', telemetries })
    const body = { devices: [entry(many), entry({ a: { b: { c: [1] } } }), entry({ a: 1 })] }
    const { status, body: reply } = await blocked(service.app, '/v1/devices/telemetry', JSON.stringify(body))
    assert.equal(status, 200)
    assert.deepEqual(
      reply.results.map((result: { status: number }) => result.status),
      [422, 422, 200],
    )
  })
})

describe('other large or deep bodies', () => {
  it('255 KB of unknown members at registration → a short refusal', async () => {
    const { status, raw } = await blocked(
      service.app,
      '/v1/devices',
      `{${repeated((index) => `"k${index}":0`, 255_000)}}`,
    )
    assert.equal(status, 413)
    assert.ok(raw.length < 1_000)
  })

  it('15 KB of unknown members at registration → 422 with at most 20 details', async () => {
    const { status, body, raw } = await blocked(
      service.app,
      '/v1/devices',
      `{${repeated((index) => `"k${index}":0`, 15_000)}}`,
    )
    assert.deepEqual([status, body.details.length <= 20], [422, true])
    assert.ok(raw.length < 10_000, String(raw.length))
  })

  it('a long field name is cut in the error', async () => {
    const { status, raw } = await blocked(service.app, '/v1/devices', JSON.stringify({ ['x'.repeat(10_000)]: 1 }))
    assert.equal(status, 422)
    assert.ok(raw.length < 2_000, String(raw.length))
  })

  it('one message: deep or wide → 422 at once, unknown fields are not all listed', async () => {
    const { id } = await register(service, model)
    const url = `/v1/devices/${id}/telemetry`
    const deep = '['.repeat(60_000) + ']'.repeat(60_000)
    const wide = `{"telemetries":{${repeated((index) => `"${index}":0`, 120_000)}}}`
    for (const body of [deep, wide]) {
      await requireWithin(100, async () => {
        const { status, milliseconds } = await blocked(service.app, url, body)
        assert.equal(status, 422)
        return milliseconds
      })
    }
  })

  it(`MQTT: a payload nested more than ${jsonLimits.depth} deep → 0x99, and the connection stays`, async () => {
    const listener = await startListener(service.context)
    const device = await register(service, model)
    const wire = new WireDevice(listener.port, 5)
    await wire.connect(device)
    for (const body of ['['.repeat(60_000), `{${repeated((index) => `"${index}":0`, 120_000)}}`]) {
      wire.publish(device, body)
      assert.partialDeepStrictEqual(await wire.next(), { cmd: 'puback', reasonCode: 0x99 })
    }
    wire.publish(device, { status: 'online', telemetries: { a: 1 } })
    assert.partialDeepStrictEqual(await wire.next(), { cmd: 'puback' })
    wire.socket.destroy()
  })
})
