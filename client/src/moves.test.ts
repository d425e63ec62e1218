// Devices that their hub sends on to another one: a 421 with the new address, alone or for an entry of a mass call.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DeviceModel, memoryQueue, TelemetryOutbox } from './index.ts'

type Hub = (deviceId: string) => { status: number; body: object } | 'down'

const taken = { status: 200, body: { success: true } }
const moved = (hub_url: string) => ({ status: 421, body: { error: 'Moved.', code: 'device_moved', hub_url } })

/** A fetch that reaches these hubs and no other; `calls` has what they got, with the key it came with. */
function hubs(at: Record<string, Hub>) {
  const calls: { hub: string; id: string; key: string }[] = []
  const request: typeof fetch = async (input, init) => {
    const [, hub, path] = /^(.*?)(\/v1\/.*)$/.exec(String(input))!
    const respond = (id: string, key: string) => {
      calls.push({ hub: hub!, id, key })
      return at[hub!]?.(id) ?? 'down'
    }
    const single = /^\/v1\/devices\/(.+)\/telemetry$/.exec(path!)
    if (single) {
      const result = respond(single[1]!, (init!.headers as Record<string, string>).authorization!)
      if (result === 'down') throw new TypeError('fetch failed')
      return Response.json(result.body, { status: result.status })
    }
    const { devices } = JSON.parse(String(init!.body)) as { devices: { id: string; access_key: string }[] }
    const results = devices.map(({ id, access_key }) => ({ id, result: respond(id, access_key) }))
    if (results.some(({ result }) => result === 'down')) throw new TypeError('fetch failed')
    return Response.json({
      results: results.map(({ id, result }) =>
        result === 'down' ? {} : { id, status: result.status, ...result.body },
      ),
    })
  }
  return { request, calls, hubsOf: (id: string) => calls.filter((call) => call.id === id).map(({ hub }) => hub) }
}

const backoff = { attempts: 1, firstDelayMs: 1, longestDelayMs: 5 }
const device = (id: string, hub_url = 'https://a.test/') => ({ id, access_key: `key of ${id}`, hub_url })
const telemetry = { status: 'online' as const, telemetries: { n: 1 } }

function setUp(at: Record<string, Hub>) {
  const wire = hubs(at)
  const stored: [id: string, hub_url: string][] = []
  const model = new DeviceModel({
    entryUrl: 'https://entry.test',
    modelId: 'm',
    hardwareKey: 'h',
    backoff,
    fetch: wire.request,
    onMoved: (id, { hub_url }) => stored.push([id, hub_url]),
  })
  return { ...wire, model, stored }
}

describe('partner kit: a device that moved to another hub', () => {
  it('is followed, remembered, and reported once the new hub took a message', async () => {
    const { model, hubsOf, stored } = setUp({
      'https://a.test': () => moved('https://b.test/'),
      'https://b.test': () => taken,
    })
    await model.send(device('d'), telemetry)
    await model.send(device('d'), telemetry)
    assert.deepEqual(hubsOf('d'), ['https://a.test', 'https://b.test', 'https://b.test'])
    assert.deepEqual(stored, [['d', 'https://b.test']])
    // What the caller stored counts.
    await model.send(device('d', 'https://b.test'), telemetry)
    await assert.rejects(model.send(device('d', 'https://c.test'), telemetry), { code: 'network_error' })
  })

  it('twenty messages at once find their way together', async () => {
    const { model, stored } = setUp({ 'https://a.test': () => moved('https://b.test'), 'https://b.test': () => taken })
    await Promise.all(Array.from({ length: 20 }, () => model.send(device('d'), telemetry)))
    assert.deepEqual(stored, [['d', 'https://b.test']])
  })

  it('mass calls: only the entries that moved are sent again, and the results keep their order', async () => {
    const { model, calls, stored } = setUp({
      'https://a.test': (id) => (id === 'y' ? moved('https://b.test') : taken),
      'https://b.test': () => ({ status: 410, body: { code: 'device_removed' } }),
    })
    const results = await model.sendMany(['x', 'y', 'z'].map((id) => ({ device: device(id), telemetry })))
    assert.deepEqual(
      results.map(({ id, status }) => [id, status]),
      [
        ['x', 200],
        ['y', 410],
        ['z', 200],
      ],
    )
    assert.deepEqual(
      calls.map(({ hub, id }) => hub.at(8)! + id),
      ['ax', 'ay', 'az', 'by'],
    )
    assert.deepEqual(stored, [['y', 'https://b.test']])
  })

  it('a whole call with 421 moves all of its devices', async () => {
    const urls: string[] = []
    const model = new DeviceModel({
      entryUrl: 'https://entry.test',
      modelId: 'm',
      hardwareKey: 'h',
      fetch: async (input) => {
        urls.push(String(input))
        if (String(input).startsWith('https://a.')) return Response.json(moved('https://b.test').body, { status: 421 })
        return Response.json({ results: [{ id: 'd', status: 200 }] })
      },
    })
    const [result] = await model.sendMany([{ device: device('d'), telemetry }])
    assert.deepEqual([result!.status, urls.length], [200, 2])
  })

  it('its key goes to secure addresses only', async () => {
    for (const target of [
      'http://b.test',
      'http://127.0.0.1:1',
      'https://user@b.test',
      'https://b.test/?x',
      'https://b.test#x',
      'ftp://b.test',
      'mqtts://b.test',
      'javascript:alert(1)',
      '//b.test',
      '',
      `https://${'b'.repeat(100_000)} `,
    ]) {
      const { model, calls } = setUp({ 'https://a.test': () => moved(target) })
      await assert.rejects(
        model.send(device('d'), telemetry),
        { code: 'move_refused', status: 421 },
        target.slice(0, 50),
      )
      const [result] = await model.sendMany([{ device: device('d'), telemetry }])
      assert.deepEqual([result!.status, result!.code], [421, 'move_refused'])
      assert.deepEqual(
        calls.map(({ hub }) => hub),
        ['https://a.test', 'https://a.test'],
      )
    }
    // Without TLS only within one machine, as in a lab.
    const lab = setUp({ 'http://localhost:1': () => moved('http://127.0.0.1:2'), 'http://127.0.0.1:2': () => taken })
    await lab.model.send(device('d', 'http://localhost:1'), telemetry)
    const plain = setUp({ 'http://localhost:1': () => moved('http://10.0.0.1:2') })
    await assert.rejects(plain.model.send(device('d', 'http://localhost:1'), telemetry), { code: 'move_refused' })
  })

  it('a device that is sent in circles stops, and both addresses are named', async () => {
    const { model, calls, stored } = setUp({
      'https://a.test': () => moved('https://b.test'),
      'https://b.test': () => moved('https://a.test'),
    })
    await assert.rejects(model.send(device('d'), telemetry), {
      code: 'moved_in_circles',
      message: /https:\/\/a\.test.*https:\/\/b\.test/,
    })
    assert.equal(calls.length, 4)
    const itself = setUp({ 'https://a.test': () => moved('https://a.test') })
    await assert.rejects(itself.model.send(device('d'), telemetry), { code: 'moved_in_circles' })
    assert.deepEqual([itself.calls.length, stored], [1, []])
  })

  it('a hub that never responded is not stored: the one before is asked again', async () => {
    let next = 'https://b.test'
    const { model, hubsOf, stored } = setUp({ 'https://a.test': () => moved(next), 'https://c.test': () => taken })
    await assert.rejects(model.send(device('d'), telemetry), { code: 'network_error' })
    next = 'https://c.test'
    await model.send(device('d'), telemetry)
    assert.deepEqual(hubsOf('d').slice(2), ['https://a.test', 'https://c.test'])
    assert.deepEqual(stored, [['d', 'https://c.test']])
  })

  it('a 421 of a proxy is none of the service', async () => {
    const model = new DeviceModel({
      entryUrl: 'https://entry.test',
      modelId: 'm',
      hardwareKey: 'h',
      backoff,
      fetch: async () => new Response('<html>', { status: 421 }),
    })
    await assert.rejects(model.send(device('d'), telemetry), { code: 'unexpected', status: 421 })
  })
})

describe('partner kit: an outbox with several hubs', () => {
  it('a hub that is down holds up no message of another, however many of its own stand before them', async () => {
    let isDown = true
    const at = {
      'https://a.test': () => (isDown ? ('down' as const) : taken),
      'https://b.test': () => taken,
    }
    const { model, hubsOf } = setUp(at)
    const outbox = new TelemetryOutbox(model, { queue: memoryQueue() })
    for (let n = 0; n < 2_500; n += 1) await outbox.add(device('dead'), telemetry)
    for (let n = 0; n < 10; n += 1) await outbox.add(device('alive', 'https://b.test'), telemetry)
    while (outbox.waiting > 2_500) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(hubsOf('alive').length, 10)
    isDown = false
    await outbox.flushed()
    assert.equal(outbox.waiting, 0)
  })

  it('follows devices that moved, in order, also to a hub that is down for a while; the others go on', async () => {
    let isDown = true
    const order: number[] = []
    const { model, stored } = setUp({
      'https://a.test': (id) => (id === 'mover' ? moved('https://b.test') : taken),
      'https://b.test': () => (isDown ? 'down' : taken),
    })
    const sendOnce = model.sendOnce.bind(model)
    model.sendOnce = async (messages, options) => {
      const results = await sendOnce(messages, options)
      for (const [index, { device, telemetry }] of messages.entries()) {
        const result = results[index]!
        if (device.id === 'mover' && result !== 'moved') order.push(Number(telemetry.telemetries.n))
      }
      return results
    }
    const errors: unknown[] = []
    const outbox = new TelemetryOutbox(model, { onError: (error) => errors.push(error) })
    for (let n = 0; n < 5; n += 1) await outbox.add(device('mover'), { status: 'online', telemetries: { n } })
    for (let n = 0; n < 20; n += 1) await outbox.add(device('stays'), telemetry)
    while (outbox.waiting > 5 || errors.length < 3) await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(stored, [])
    isDown = false
    await outbox.flushed()
    assert.deepEqual([outbox.waiting, order, stored], [0, [0, 1, 2, 3, 4], [['mover', 'https://b.test']]])
  })

  it('a device that is sent in circles keeps its messages, is reported, and does not make the outbox spin', async () => {
    let isFixed = false
    const { model, calls } = setUp({
      'https://a.test': () => (isFixed ? taken : moved('https://b.test')),
      'https://b.test': () => moved('https://a.test'),
    })
    const codes: string[] = []
    const outbox = new TelemetryOutbox(model, { onError: (error) => codes.push((error as { code: string }).code) })
    await outbox.add(device('d'), telemetry)
    while (codes.length < 3) await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual([new Set(codes), outbox.waiting], [new Set(['moved_in_circles']), 1])
    assert.ok(calls.length <= (codes.length + 1) * 5, `${calls.length} calls`)
    isFixed = true
    await outbox.flushed()
    assert.equal(outbox.waiting, 0)
  })
})
