import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, describe, it } from 'node:test'
import {
  DeviceModel,
  DeviceRemoved,
  readWebhook,
  type Telemetry,
  TelemetryOutbox,
  type WebhookData,
  WebhookRefused,
} from '../../client/src/index.ts'
import { removeDevice } from '../../server/src/devices/registry/devices.ts'
import type { EventData, EventType } from '../../server/src/events/event-schemas.ts'
import { deliverDue } from '../../server/src/events/webhooks/deliveries.ts'
import { createWebhook, rotateWebhookSecret } from '../../server/src/events/webhooks/endpoints.ts'
import { newMac, newModel } from '../support/devices.ts'
import { startKitService } from '../support/kit-service.ts'
import { until } from '../support/until.ts'

const running = await startKitService({ LANDBRIDGE_WEBHOOK_ALLOW: '127.0.0.1' })
const { service, url } = running
const { sql, context } = service
const model = await newModel(service)
const operator = { kind: 'operator' } as const
const backoff = { attempts: 2, firstDelayMs: 5, longestDelayMs: 20 }
const kit = new DeviceModel({ entryUrl: url, modelId: model.id, hardwareKey: model.hardware_key, backoff })
const identity = () => ({ mac: newMac(), sn: newMac(), firmware_version: '1.0.0' })
const reading = (temperature: number) => ({ status: 'online' as const, telemetries: { temperature } })

const historyOf = async (id: string) =>
  (await sql`select 1 from history where device_number = (select number from devices where id = ${id})`).length

describe('partner kit: devices', () => {
  it('registers, sends, and learns that a device was removed', async () => {
    const device = await kit.register(identity())
    await kit.send(device, reading(21))
    assert.equal(await historyOf(device.id), 1)
    await removeDevice(context, operator, { partner_id: model.partner_id }, device.id)
    await assert.rejects(kit.send(device, reading(22)), DeviceRemoved)
  })

  it('a refused registration says which field and carries the request id', async () => {
    await assert.rejects(kit.register({ ...identity(), mac: 'nonsense' }), (error: never) => {
      const { code, details, requestId } = error as { code: string; details: { field: string }[]; requestId: string }
      assert.deepEqual([code, details.map(({ field }) => field)], ['invalid', ['mac']])
      assert.match(requestId, /^[0-9a-f-]{36}$/)
      return true
    })
  })

  it('an attempt whose response was lost is stored once', async () => {
    const device = await kit.register(identity())
    let lost = true
    const lossy = new DeviceModel({
      ...kit.options,
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        if (!lost) return response
        lost = false
        throw new Error('connection lost')
      },
    })
    await lossy.send(device, reading(21))
    assert.equal(await historyOf(device.id), 1)
  })

  it('many devices in one call: each has its own result, in order', async () => {
    const [good, removed, wrong] = await Promise.all([
      kit.register(identity()),
      kit.register(identity()),
      kit.register(identity()),
    ])
    await kit.send(removed, reading(1))
    await removeDevice(context, operator, { partner_id: model.partner_id }, removed.id)
    const results = await kit.sendMany([
      { device: removed, telemetry: reading(1) },
      { device: { ...wrong, access_key: 'wrong' }, telemetry: reading(2) },
      { device: good, telemetry: reading(3) },
      { device: good, telemetry: { status: 'online', telemetries: { bad: {} as never } } },
    ])
    assert.deepEqual(
      results.map(({ status }) => status),
      [410, 401, 200, 422],
    )
  })

  it('the outbox keeps messages through an outage, drops removed devices, and reports what was refused', async () => {
    const [device, gone] = await Promise.all([kit.register(identity()), kit.register(identity())])
    await kit.send(gone, reading(0))
    await removeDevice(context, operator, { partner_id: model.partner_id }, gone.id)
    let down = true
    let refusals = 0
    const flaky = new DeviceModel({
      ...kit.options,
      fetch: async (input, init) => {
        if (!down) return await fetch(input, init)
        refusals += 1
        return Response.json({ code: 'overloaded' }, { status: 503 })
      },
    })
    const removed: string[] = []
    const refused: number[] = []
    const errors: unknown[] = []
    const outbox = new TelemetryOutbox(flaky, {
      onRemoved: (id) => {
        removed.push(id)
        throw new Error('a callback that fails stops nothing')
      },
      onRefused: ({ status }) => refused.push(status),
      onError: (error) => errors.push(error),
    })
    for (let n = 0; n < 50; n += 1) await outbox.add(device, reading(n))
    await outbox.add(gone, reading(1))
    await outbox.add(device, { status: 'online', telemetries: { bad: [] as never } })
    await until(() => refusals > 2 && errors.length > 0, 'the outbox tries again')
    assert.equal(outbox.waiting, 52)
    down = false
    await outbox.flushed()
    assert.equal(outbox.waiting, 0)
    assert.equal(await historyOf(device.id), 50)
    assert.deepEqual([removed, refused], [[gone.id], [422]])
    await outbox.add(gone, reading(2))
    assert.equal(outbox.waiting, 0)
  })

  it('what a proxy or nobody responds keeps the messages and is tried again later, not at once', async () => {
    const device = await kit.register(identity())
    const page = (status: number) => new Response('<html>', { status })
    const instead: (() => Response | never)[] = [
      ...[401, 403, 404, 408, 418, 502].map((status) => () => page(status)),
      () => new Response(null, { status: 308, headers: { location: '/again' } }),
      () => page(200),
      () => {
        throw new TypeError('fetch failed')
      },
    ]
    let calls = 0
    const behindProxy = new DeviceModel({
      ...kit.options,
      backoff: { attempts: 1, firstDelayMs: 5, longestDelayMs: 20 },
      fetch: async (input, init) => {
        calls += 1
        return instead.shift()?.() ?? (await fetch(input, init))
      },
    })
    const refused: object[] = []
    const outbox = new TelemetryOutbox(behindProxy, { onRefused: (result) => refused.push(result) })
    for (let n = 0; n < 5; n += 1) await outbox.add(device, reading(n))
    await outbox.flushed()
    assert.deepEqual([refused, calls, await historyOf(device.id)], [[], 10, 5])
  })

  it('a call that is too large is halved, and only a message that is too large alone is refused', async () => {
    const device = await kit.register(identity())
    const sizes: number[] = []
    const narrow = new DeviceModel({
      ...kit.options,
      fetch: async (input, init) => {
        sizes.push(String(init!.body).length)
        return String(init!.body).length > 2_000 ? new Response('<html>', { status: 413 }) : await fetch(input, init)
      },
    })
    const refused: number[] = []
    const outbox = new TelemetryOutbox(narrow, { onRefused: ({ status }) => refused.push(status) })
    for (let n = 0; n < 20; n += 1) await outbox.add(device, reading(n))
    await outbox.add(device, { status: 'online', telemetries: { text: 'x'.repeat(2_000) } })
    for (let n = 0; n < 20; n += 1) await outbox.add(device, reading(n))
    await outbox.flushed()
    assert.deepEqual([refused, await historyOf(device.id)], [[413], 40])
  })

  it('calls are cut by bytes as well', async () => {
    const devices = await Promise.all(Array.from({ length: 3 }, () => kit.register(identity())))
    const sizes: number[] = []
    const watched = new DeviceModel({
      ...kit.options,
      fetch: async (input, init) => {
        sizes.push(String(init!.body).length)
        return await fetch(input, init)
      },
    })
    const telemetries = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, 'x'.repeat(1_000)]))
    const messages = Array.from({ length: 12 }, (_, n) => ({
      device: devices[n % 3]!,
      telemetry: { status: 'online' as const, telemetries },
    }))
    const results = await watched.sendMany(messages)
    assert.deepEqual(new Set(results.map(({ status }) => status)), new Set([200]))
    assert.equal(sizes.length, 2)
    assert.ok(
      sizes.every((size) => size <= 1_000_100),
      String(sizes),
    )
  })

  it('a full outbox drops the oldest, or the newest, or makes the caller wait', async () => {
    const device = await kit.register(identity())
    const dead = new DeviceModel({ ...kit.options, fetch: async () => Promise.reject(new Error('down')) })
    const named = (n: number) => ({ ...reading(n), timestamp: new Date().toISOString(), message_id: `m${n}` })
    for (const [whenFull, expected] of [
      ['drop-oldest', ['m0', 'm1']],
      ['drop-newest', ['m3', 'm4']],
    ] as const) {
      const dropped: string[] = []
      const onDropped = (_: string, { message_id }: Telemetry) => dropped.push(message_id!)
      const outbox = new TelemetryOutbox(dead, { max: 3, whenFull, onDropped })
      await Promise.all(Array.from({ length: 5 }, (_, n) => outbox.add(device, named(n))))
      assert.deepEqual([dropped, outbox.waiting], [expected, 3], whenFull)
      await outbox.stop()
    }
    let down = true
    const later = new DeviceModel({
      ...kit.options,
      fetch: async (input, init) => (down ? Promise.reject(new Error('down')) : await fetch(input, init)),
    })
    const outbox = new TelemetryOutbox(later, { max: 3, whenFull: 'wait' })
    const added = Array.from({ length: 10 }, (_, n) => outbox.add(device, named(n)))
    await added[2]
    assert.equal(outbox.waiting, 3)
    down = false
    await Promise.all(added)
    await outbox.flushed()
    assert.equal(await historyOf(device.id), 10)
    await outbox.stop()
    await assert.rejects(outbox.add(device, named(11)), { code: 'stopped' })
  })
})

describe('partner kit: webhooks', () => {
  it('the kit has the types of all events and of no other', () => {
    const fromKit = null as unknown as WebhookData satisfies EventData
    const fromService = null as unknown as { [Type in EventType]: object } satisfies {
      [Type in keyof WebhookData]: object
    }
    assert.deepEqual([fromKit, fromService], [null, null])
  })

  it('what the service delivers verifies, during a rotation with either secret; a changed or old one does not', async () => {
    const got: { headers: Record<string, string | string[] | undefined>; body: string }[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        got.push({ headers: request.headers, body })
        response.end()
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    after(() => server.close())
    const target = `http://127.0.0.1:${(server.address() as { port: number }).port}/`
    const webhook = await createWebhook(context, operator, model.partner_id, {
      url: target,
      events: ['device.registered'],
    })
    const { secret } = await rotateWebhookSecret(context, operator, model.partner_id, webhook.id)
    const device = await kit.register(identity())
    await deliverDue(context)
    const { headers, body } = got[0]!
    const event = await readWebhook([webhook.secret], headers, body, service.clock.now())
    assert.ok(event.type === 'device.registered')
    assert.equal(event.data.device_id, device.id)
    await readWebhook(secret, headers, body, service.clock.now())
    const later = new Date(service.clock.now().getTime() + 301_000)
    await assert.rejects(readWebhook(secret, headers, body, later), WebhookRefused)
    await assert.rejects(readWebhook(secret, headers, `${body} `, service.clock.now()), WebhookRefused)
    await assert.rejects(readWebhook('whsec_AAAA', headers, body, service.clock.now()), WebhookRefused)
    await assert.rejects(readWebhook(secret, {}, body), WebhookRefused)
  })
})
