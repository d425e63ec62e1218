import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Packet } from 'mqtt-packet'
import { newModel, online, register } from '../../../../test/support/devices.ts'
import { type Harness, startHarness } from '../../../../test/support/harness.ts'
import { holdLocks, untilWaiting } from '../../../../test/support/locks.ts'
import { type Credentials, startListener, type TestListener, WireDevice } from '../../../../test/support/mqtt.ts'
import { until } from '../../../../test/support/until.ts'
import { joinCell } from '../cells/join-cell.ts'
import { lockState } from '../telemetry-store/telemetry-store.ts'

const environmentOf = (cell: string) => ({
  LANDBRIDGE_CELL: cell,
  LANDBRIDGE_HUB_URL: `https://${cell}.test`,
  LANDBRIDGE_STATIC_CERT_URL: `https://${cell}.test:8443`,
  LANDBRIDGE_MQTT_URL: `mqtts://${cell}.test:8883`,
})
const a = await startHarness(environmentOf('a'))
const b = await startHarness(environmentOf('b'), { beside: a })
const { sql } = a
await joinCell(a.context)
await joinCell(b.context)
const [atA, atB] = [await startListener(a.context), await startListener(b.context)]
const model = await newModel(a)
const wires: WireDevice[] = []
after(() => {
  for (const { socket } of wires) socket.destroy()
})

function wire(listener: TestListener, version: 4 | 5): WireDevice {
  const device = new WireDevice(listener.port, version)
  wires.push(device)
  return device
}

async function connected(device: Credentials, listener: TestListener, version: 4 | 5 = 5): Promise<WireDevice> {
  const client = wire(listener, version)
  const connack = await client.connect(device)
  assert.ok(typeof connack === 'object' && connack.cmd === 'connack', JSON.stringify(connack))
  assert.equal(version === 5 ? connack.reasonCode : connack.returnCode, 0)
  return client
}

/** All buckets, at once; both processes have the new map. */
async function moveAll(from: Harness, name: string): Promise<void> {
  const { status, body } = await from.operator('POST', `/hub-cells/${name}/drain`, { redirect_over_seconds: 0 })
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal((await from.operator('POST', `/hub-cells/${name}/open`)).status, 200)
  await Promise.all([a, b].map(({ context }) => context.cells.read()))
}

function isMoved(packet: Packet | 'closed', cmd: 'connack' | 'disconnect', reference: string): void {
  assert.ok(packet !== 'closed' && packet.cmd === cmd, JSON.stringify(packet))
  const { reasonCode, properties } = packet
  assert.deepEqual([reasonCode, properties?.serverReference], [0x9d, reference])
}

const statusOf = async ({ id }: { id: string }) => {
  const [row] = await sql`select status from device_states where device_id = ${id}`
  return row!.status
}

describe('decision 3.19: MQTT connections of a device that another cell serves', () => {
  it('version 5: CONNECT is refused with 0x9D and a Server Reference, and takes over nothing', async () => {
    const device = await register(a, model)
    const right = await connected(device, atA)
    const wrong = wire(atB, 5)
    isMoved(await wrong.connect(device), 'connack', 'a.test:8883')
    await wrong.closed()
    right.publish(device, online({ n: 1 }))
    const puback = await right.next()
    assert.ok(puback !== 'closed' && puback.cmd === 'puback')
  })

  it('a wrong key learns nothing: 0x86, as on every hub', async () => {
    const device = await register(a, model)
    const other = await register(a, model)
    const connack = await wire(atB, 5).connect({ ...device, access_key: other.access_key })
    assert.ok(connack !== 'closed' && connack.cmd === 'connack')
    assert.deepEqual([connack.reasonCode, connack.properties?.serverReference], [0x86, undefined])
  })

  it('version 3.1.1, which cannot name another server, is served', async () => {
    const device = await register(a, model)
    const client = await connected(device, atB, 4)
    client.publish(device, online({ n: 1 }))
    const puback = await client.next()
    assert.ok(puback !== 'closed' && puback.cmd === 'puback')
  })

  it('a connection in another cell is taken over like one in the same', async () => {
    const device = await register(a, model)
    const before = await connected(device, atB, 4)
    await connected(device, atA)
    assert.equal(await before.next(), 'closed')
    const [row] =
      await sql`select number::int, cell, cell_before from device_connections where device_id = ${device.id}`
    assert.deepEqual({ ...row }, { number: 2, cell: 'a', cell_before: 'b' })
  })

  it('a move ends open connections with 0x9D after what they sent is acknowledged; the device is not offline', async () => {
    const [busy, idle, old] = [await register(a, model), await register(a, model), await register(a, model)]
    const [busyWire, idleWire] = [await connected(busy, atA), await connected(idle, atA)]
    const oldWire = await connected(old, atA, 4)
    idleWire.publish(idle, online({ n: 1 }))
    const puback = await idleWire.next()
    assert.ok(puback !== 'closed' && puback.cmd === 'puback')
    const release = await holdLocks(sql, (hold) => lockState(hold, busy.id))
    busyWire.publish(busy, online({ n: 1 }))
    await untilWaiting(sql)
    await moveAll(a, 'a')
    isMoved(await idleWire.next(), 'disconnect', 'b.test:8883')
    // Not read any more: it gets no acknowledgement, and is sent again to the other hub.
    busyWire.publish(busy, online({ n: 2 }), { messageId: 8 })
    assert.equal(busyWire.received.length, 0)
    await release()
    const first = await busyWire.next()
    assert.ok(first !== 'closed' && first.cmd === 'puback' && first.messageId === 7, JSON.stringify(first))
    isMoved(await busyWire.next(), 'disconnect', 'b.test:8883')
    await Promise.all([busyWire.closed(), idleWire.closed()])
    assert.deepEqual([await statusOf(busy), await statusOf(idle)], ['online', 'online'])
    const again = await connected(busy, atB)
    again.publish(busy, online({ n: 2 }))
    const second = await again.next()
    assert.ok(second !== 'closed' && second.cmd === 'puback')
    oldWire.publish(old, online({ n: 1 }))
    const served = await oldWire.next()
    assert.ok(served !== 'closed' && served.cmd === 'puback')
    await moveAll(a, 'b')
  })
})

describe('notifications reach only the processes that need them', () => {
  it('of a new connection, those of the cell of the one before', async () => {
    const heard: Record<string, string[]> = { a: [], b: [] }
    for (const [name, { context }] of Object.entries({ a, b })) {
      await context.notifications.subscribe('device.connected', (item) => heard[name]!.push(item))
      await context.notifications.subscribe('everywhere', (item) => heard[name]!.push(item))
    }
    const device = await register(a, model)
    await connected(device, atA)
    await connected(device, atA)
    await a.context.notifications.publish(sql, 'everywhere', ['end'])
    await until(() => heard.a!.includes('end') && heard.b!.includes('end'), 'the last notification')
    assert.deepEqual(heard, { a: [`${device.id}:2`, 'end'], b: ['end'] })
  })

  it('of a watched device, those on which somebody watches, in whichever cell', async () => {
    const heard: Record<string, string[]> = { a: [], b: [] }
    for (const [name, { context }] of Object.entries({ a, b })) {
      await context.notifications.subscribe('devices.telemetry', (item) => heard[name]!.push(item))
      await context.notifications.subscribe('everywhere', (item) => heard[name]!.push(item))
    }
    const device = await register(a, model)
    await sql`update device_states set customer_id = ${model.lab_customer_id} where device_id = ${device.id}`
    const stop = await b.context.liveInterest.watch(model.lab_customer_id)
    await until(() => a.context.liveInterest.watched([model.lab_customer_id]).length > 0, 'the interest')
    const client = await connected(device, atA)
    client.publish(device, online({ n: 1 }))
    await until(() => heard.b!.length > 0, 'the notification')
    await a.context.notifications.publish(sql, 'everywhere', ['end'])
    await until(() => heard.a!.includes('end') && heard.b!.includes('end'), 'the last notification')
    assert.deepEqual(heard, { a: ['end'], b: [`${model.lab_customer_id}:${device.id}`, 'end'] })
    stop()
  })
})
