import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newModel, register } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { startListener, WireDevice } from '../../../../test/support/mqtt.ts'
import { until } from '../../../../test/support/until.ts'
import { bucketOf } from '../bucket.ts'
import { getDevice } from '../registry/devices.ts'

const service = await startHarness()
const { port } = await startListener(service.context)
const model = await newModel(service)
const devices: WireDevice[] = []
after(() => {
  for (const { socket } of devices) socket.destroy()
})

function wire(version: 4 | 5): WireDevice {
  const device = new WireDevice(port, version)
  devices.push(device)
  return device
}

const body = { status: 'online', telemetries: { temperature: 21.5 } }
const versions = [4, 5] as const
const named = { 4: 'MQTT 3.1.1', 5: 'MQTT 5' }

/** The reason code or return code of a packet. */
// biome-ignore lint/suspicious/noExplicitAny: a packet of any kind
function code(packet: any): number | string {
  return packet === 'closed' ? packet : (packet.returnCode ?? packet.reasonCode)
}

async function storedOf({ id }: { id: string }): Promise<number> {
  const [row] = await service.sql<{ count: number }[]>`
    select count(*)::int as count from history join devices on number = device_number where id = ${id}`
  return row!.count
}

describe('decision 7.16: an MQTT device connects and publishes', () => {
  for (const version of versions) {
    it(`${named[version]}: a QoS 1 message is acknowledged once it is committed`, async () => {
      const credentials = await register(service, model)
      const device = wire(version)
      assert.equal(code(await device.connect(credentials)), 0)
      device.publish(credentials, body)
      const puback = await device.next()
      assert.equal((puback as { cmd: string }).cmd, 'puback')
      assert.equal((puback as { messageId: number }).messageId, 7)
      const [row] = await service.sql`
        select history.telemetries, devices.status from history join devices on number = device_number
        where devices.id = ${credentials.id}`
      assert.deepEqual({ ...row }, { telemetries: { temperature: 21.5 }, status: 'online' })
    })

    it(`${named[version]}: null removes a data point, and override replaces the state`, async () => {
      const credentials = await register(service, model)
      const device = wire(version)
      await device.connect(credentials)
      const stateAfter = async (message: object) => {
        device.publish(credentials, { status: 'online', ...message })
        assert.equal(((await device.next()) as { cmd: string }).cmd, 'puback')
        const { state } = await getDevice(service.context, { partner_id: model.partner_id }, credentials.id)
        return Object.keys(state)
      }
      assert.deepEqual(await stateAfter({ telemetries: { a: 1, b: 1 } }), ['a', 'b'])
      assert.deepEqual(await stateAfter({ telemetries: { a: null } }), ['b'])
      assert.deepEqual(await stateAfter({ telemetries: { c: 1 }, override: true }), ['c'])
    })

    it(`${named[version]}: QoS 0 is stored without an acknowledgement, and PINGREQ gets PINGRESP`, async () => {
      const credentials = await register(service, model)
      const device = wire(version)
      await device.connect(credentials)
      device.publish(credentials, body, { qos: 0, messageId: undefined })
      device.send({ cmd: 'pingreq' })
      assert.equal(((await device.next()) as { cmd: string }).cmd, 'pingresp')
      await until(async () => {
        const [row] = await service.sql`select status from devices where id = ${credentials.id}`
        return row!.status === 'online'
      }, 'stored')
    })

    it(`${named[version]}: no subscription to another topic is granted`, async () => {
      const credentials = await register(service, model)
      const device = wire(version)
      await device.connect(credentials)
      const topics = ['#', `v1/devices/${credentials.id}/telemetry`]
      const subscriptions = topics.map((topic) => ({ topic, qos: 1 as const }))
      device.send({ cmd: 'subscribe', messageId: 3, subscriptions })
      assert.deepEqual(
        ((await device.next()) as { granted: number[] }).granted,
        version === 5 ? [0x87, 0x87] : [0x80, 0x80],
      )
      device.send({ cmd: 'unsubscribe', messageId: 4, unsubscriptions: ['#'] })
      assert.equal(((await device.next()) as { cmd: string }).cmd, 'unsuback')
    })
  }

  it('MQTT 5: the CONNACK lists what is not supported', async () => {
    const credentials = await register(service, model)
    const connack = await wire(5).connect(credentials, { properties: { sessionExpiryInterval: 3600 } })
    assert.deepEqual((connack as { properties: object }).properties, {
      sessionExpiryInterval: 0,
      receiveMaximum: 64,
      maximumQoS: 1,
      retainAvailable: false,
      maximumPacketSize: 132 * 1024,
      wildcardSubscriptionAvailable: false,
      subscriptionIdentifiersAvailable: false,
      sharedSubscriptionAvailable: false,
    })
  })

  it('a PUBLISH before the CONNACK waits for it', async () => {
    const credentials = await register(service, model)
    const device = wire(5)
    const connack = device.connect(credentials)
    device.publish(credentials, body)
    assert.equal(code(await connack), 0)
    assert.equal(((await device.next()) as { cmd: string }).cmd, 'puback')
  })
})

describe('decision 7.16: a CONNECT that is refused', () => {
  const other = '00000000-0000-7000-8000-000000000000'
  const cases: {
    title: string
    change: (credentials: { id: string; access_key: string }) => object
    codes: { 4: number | string; 5: number }
  }[] = [
    {
      title: 'a wrong access_key',
      change: () => ({ password: Buffer.from('lbd_wrong') }),
      codes: { 4: 0x04, 5: 0x86 },
    },
    { title: 'no password', change: () => ({ password: undefined }), codes: { 4: 0x04, 5: 0x86 } },
    {
      title: 'an unknown device',
      change: () => ({ clientId: other, username: other }),
      codes: { 4: 0x04, 5: 0x86 },
    },
    {
      title: 'a client id that is not the user name',
      change: () => ({ clientId: 'sensor-1' }),
      codes: { 4: 0x02, 5: 0x85 },
    },
    { title: 'no client id', change: () => ({ clientId: '' }), codes: { 4: 0x02, 5: 0x85 } },
    {
      title: "a will on another's topic",
      change: () => ({
        will: { topic: `v1/devices/${other}/telemetry`, payload: Buffer.from('{}'), qos: 0, retain: false },
      }),
      codes: { 4: 0x05, 5: 0x87 },
    },
  ]
  for (const { title, change, codes } of cases) {
    for (const version of versions) {
      it(`${named[version]}: ${title}`, async () => {
        const credentials = await register(service, model)
        const device = wire(version)
        assert.equal(code(await device.connect(credentials, change(credentials))), codes[version])
        assert.equal(await device.next(), 'closed')
      })
    }
  }

  it('MQTT 5: a will of QoS 2, a retained will and an authentication method have separate codes', async () => {
    const credentials = await register(service, model)
    const will = {
      topic: `v1/devices/${credentials.id}/telemetry`,
      payload: Buffer.from('{}'),
      qos: 0 as const,
      retain: false,
    }
    assert.equal(code(await wire(5).connect(credentials, { will: { ...will, qos: 2 } })), 0x9b)
    assert.equal(code(await wire(5).connect(credentials, { will: { ...will, retain: true } })), 0x9a)
    assert.equal(code(await wire(5).connect(credentials, { properties: { authenticationMethod: 'SCRAM' } })), 0x8c)
  })

  it('MQTT 3.1 and future versions: 0x01', async () => {
    const credentials = await register(service, model)
    const old = wire(4)
    assert.equal(code(await old.connect(credentials, { protocolId: 'MQIsdp', protocolVersion: 3 })), 0x01)
    const future = wire(4)
    future.socket.write(Buffer.from([0x10, 12, 0, 4, 0x4d, 0x51, 0x54, 0x54, 9, 2, 0, 60, 0, 0]))
    assert.equal(code(await future.next()), 0x01)
  })

  it('a removed device: 0x05, in MQTT 5 0x87', async () => {
    const credentials = await register(service, model)
    await service.sql`update device_states set removed_at = now() where device_id = ${credentials.id}`
    assert.equal(code(await wire(4).connect(credentials)), 0x05)
    assert.equal(code(await wire(5).connect(credentials)), 0x87)
  })

  it('a client whose first packet is no CONNECT, or no MQTT at all, is closed', async () => {
    const early = wire(4)
    early.send({ cmd: 'pingreq' })
    assert.equal(await early.next(), 'closed')
    const http = wire(4)
    http.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    assert.equal(await http.next(), 'closed')
  })
})

describe('decision 7.16: a PUBLISH that is refused', () => {
  const cases: {
    title: string
    publish: (id: string) => [object | string, object]
    puback: number | null
    disconnect: number
  }[] = [
    { title: 'malformed JSON', publish: () => ['{"status":', {}], puback: 0x99, disconnect: 0x99 },
    {
      title: 'a value that is not a number, a string or a boolean',
      publish: () => [{ status: 'online', telemetries: { door: [] } }, {}],
      puback: 0x99,
      disconnect: 0x99,
    },
    {
      title: "another device's topic",
      publish: () => [body, { topic: 'v1/devices/00000000-0000-7000-8000-000000000000/telemetry' }],
      puback: 0x87,
      disconnect: 0x87,
    },
    {
      title: 'a topic with a wildcard',
      publish: () => [body, { topic: 'v1/devices/+/telemetry' }],
      puback: 0x90,
      disconnect: 0x90,
    },
    { title: 'QoS 2', publish: () => [body, { qos: 2 }], puback: null, disconnect: 0x9b },
    {
      title: 'more than 128 KiB',
      publish: () => [' '.repeat(128 * 1024 + 1), {}],
      puback: null,
      disconnect: 0x95,
    },
    {
      title: 'a packet with a huge length',
      publish: () => [' '.repeat(200 * 1024), {}],
      puback: null,
      disconnect: 0x95,
    },
  ]
  for (const { title, publish, puback, disconnect } of cases) {
    it(`MQTT 3.1.1, ${title}: no acknowledgement, the connection ends`, async () => {
      const credentials = await register(service, model)
      const device = wire(4)
      await device.connect(credentials)
      device.publish(credentials, ...publish(credentials.id))
      assert.equal(await device.next(), 'closed')
    })

    it(`MQTT 5, ${title}: QoS 1 gets ${puback ? 'a PUBACK with the reason and stays' : 'a DISCONNECT with the reason'}`, async () => {
      const credentials = await register(service, model)
      const device = wire(5)
      await device.connect(credentials)
      device.publish(credentials, ...publish(credentials.id))
      const reply = (await device.next()) as { cmd: string; properties?: { reasonString: string } }
      assert.equal(reply.cmd, puback ? 'puback' : 'disconnect')
      assert.equal(code(reply), puback ?? disconnect)
      assert.ok(reply.properties!.reasonString.length > 10)
      if (!puback) return
      device.publish(credentials, body, { messageId: 8 })
      assert.deepEqual([((await device.next()) as { messageId: number }).messageId], [8])
    })
  }

  it('MQTT 5: at QoS 0, which has no acknowledgement, a DISCONNECT carries the reason', async () => {
    const credentials = await register(service, model)
    const device = wire(5)
    await device.connect(credentials)
    device.publish(credentials, 'nonsense', { qos: 0, messageId: undefined })
    assert.equal(code(await device.next()), 0x99)
    assert.equal(await device.next(), 'closed')
  })

  it('MQTT 5: retain, a topic alias, and a second CONNECT end the connection', async () => {
    const credentials = await register(service, model)
    const attempts: [(device: WireDevice) => void, number][] = [
      [(device) => device.publish(credentials, body, { retain: true }), 0x9a],
      [(device) => device.publish(credentials, body, { properties: { topicAlias: 1 } }), 0x94],
      [(device) => void device.connect(credentials), 0x82],
      [(device) => device.send({ cmd: 'puback', messageId: 1 }), 0x82],
    ]
    for (const [attempt, expected] of attempts) {
      const device = wire(5)
      await device.connect(credentials)
      attempt(device)
      assert.equal(code(await device.next()), expected)
    }
  })

  it('MQTT 5: a refusal that would exceed the client’s packet size has no reason string', async () => {
    const credentials = await register(service, model)
    const device = wire(5)
    await device.connect(credentials, { properties: { maximumPacketSize: 40 } })
    device.publish(credentials, 'nonsense')
    const puback = (await device.next()) as { properties?: object }
    assert.equal(code(puback), 0x99)
    assert.equal(puback.properties, undefined)
  })
})

describe('decision 7.16: limits of a connection', () => {
  for (const version of versions) {
    it(`${named[version]}: a thousand messages sent without waiting are all committed and acknowledged, in order`, async () => {
      const credentials = await register(service, model)
      const device = wire(version)
      await device.connect(credentials)
      device.socket.cork()
      for (let messageId = 1; messageId <= 1_000; messageId += 1) {
        device.publish(credentials, { status: 'online', telemetries: { count: messageId } }, { messageId })
      }
      device.socket.uncork()
      for (let messageId = 1; messageId <= 1_000; messageId += 1) {
        assert.equal(((await device.next(20)) as { messageId: number }).messageId, messageId)
      }
      assert.equal(await storedOf(credentials), 1_000)
    })

    it(`${named[version]}: decision 7.26, while messages wait for their commit nothing more is read, and that silence is not the device's`, async () => {
      const credentials = await register(service, model)
      const device = wire(version)
      await device.connect(credentials, { keepalive: 1 })
      const before = service.context.telemetry.queue.held()
      await service.sql.begin(async (tx) => {
        await tx`
          select from device_states
          where bucket = ${bucketOf(credentials.id)} and device_id = ${credentials.id} for update`
        // No acknowledgement is read either.
        device.socket.pause()
        const large = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`key${n}`, 'x'.repeat(1_000)]))
        for (let messageId = 1; messageId <= 300; messageId += 1) {
          device.publish(credentials, { status: 'online', telemetries: large }, { messageId })
        }
        await until(() => service.context.telemetry.queue.held() - before >= 64, 'as many held as allowed')
        // Longer than the keep-alive times 1.5.
        await sleep(2_000)
        assert.equal(service.context.telemetry.queue.held() - before, 64)
        assert.ok(device.socket.writableLength > 0, 'the rest stays with the client')
      })
      device.socket.resume()
      for (let messageId = 1; messageId <= 300; messageId += 1) {
        assert.equal(((await device.next(20)) as { messageId: number }).messageId, messageId)
      }
      assert.equal(await storedOf(credentials), 300)
    })

    it(`${named[version]}: what arrived before the client closed its side is stored, and a DISCONNECT at its end counts`, async () => {
      const credentials = await register(service, model)
      const device = wire(version)
      await device.connect(credentials)
      device.socket.cork()
      // More than may be under way, and few enough for one TLS record: the close is noticed while they wait.
      const [qos, messageId] = [0, undefined]
      for (let count = 0; count < 100; count += 1) device.publish(credentials, body, { qos, messageId })
      device.send({ cmd: 'disconnect' })
      device.socket.end()
      device.socket.uncork()
      await until(async () => (await storedOf(credentials)) === 100, 'all stored')
      await sleep(300)
      const [row] = await service.sql`select status from devices where id = ${credentials.id}`
      assert.equal(row!.status, 'online')
    })
  }

  it('[MQTT-4.6.0-2] a message is refused in its turn; in MQTT 3.1.1 those before it are acknowledged and none after it is stored', async () => {
    for (const version of versions) {
      const credentials = await register(service, model)
      const device = wire(version)
      await device.connect(credentials)
      device.socket.cork()
      for (const messageId of [1, 2, 3, 4]) device.publish(credentials, messageId === 3 ? '{' : body, { messageId })
      device.socket.uncork()
      const replies: unknown[] = []
      for (let count = 0; count < (version === 5 ? 4 : 3); count += 1) {
        const packet = await device.next()
        replies.push(packet === 'closed' ? packet : `${packet.messageId}: ${code(packet) ?? 0}`)
      }
      const expected = version === 5 ? ['1: 0', '2: 0', '3: 153', '4: 0'] : ['1: 0', '2: 0', 'closed']
      assert.deepEqual(replies, expected)
      assert.equal(await storedOf(credentials), version === 5 ? 3 : 2)
    }
  })

  it('a packet that arrived while this process was busy counts for the keep-alive', async () => {
    const credentials = await register(service, model)
    const device = wire(5)
    await device.connect(credentials, { keepalive: 1 })
    device.send({ cmd: 'pingreq' })
    // Neither timers nor sockets of this process get a turn.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_700)
    assert.equal(((await device.next()) as { cmd: string }).cmd, 'pingresp')
    device.send({ cmd: 'pingreq' })
    assert.equal(((await device.next()) as { cmd: string }).cmd, 'pingresp')
  })

  it('[MQTT-3.1.2-24] nothing for 1.5 times the keep-alive ends the connection, MQTT 5 with 0x8D', async () => {
    const [silent, active] = [await register(service, model), await register(service, model)]
    const device = wire(5)
    const pinging = wire(5)
    const startedAt = performance.now()
    await device.connect(silent, { keepalive: 2 })
    await pinging.connect(active, { keepalive: 2 })
    const pings = setInterval(() => pinging.send({ cmd: 'pingreq' }), 300)
    assert.equal(code(await device.next()), 0x8d)
    const took = performance.now() - startedAt
    assert.ok(took > 2_900 && took < 10_000, `${took} ms`)
    clearInterval(pings)
    assert.equal(pinging.socket.destroyed, false)
  })
})
