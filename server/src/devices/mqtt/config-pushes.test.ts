import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { IPublishPacket, Packet } from 'mqtt-packet'
import { startScene } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { type Credentials, startListener, WireDevice } from '../../../../test/support/mqtt.ts'
import { replaceDictionary } from '../registry/dictionary.ts'
import { changeSettings } from '../settings/device-settings.ts'

const { service, claimed, context, customer, model, sql, user } = await startScene()
const beside = await startHarness({}, { beside: service })
const { port } = await startListener(context)
const wires: WireDevice[] = []
after(() => {
  for (const { socket } of wires) socket.destroy()
})
before(async () => {
  const data_points = [{ key: 'target', type: 'number' as const, min: 5, max: 30, settable: true }]
  await replaceDictionary(context, { kind: 'operator' }, model.partner_id, model.id, { data_points })
})

const topicOf = ({ id }: { id: string }) => `v1/devices/${id}/config`
const want = (device: { id: string }, target: number) =>
  changeSettings(beside.context, user, customer, device.id, { values: { target } })

async function subscribed(device: Credentials, version: 4 | 5) {
  const wire = new WireDevice(port, version)
  wires.push(wire)
  await wire.connect(device)
  wire.send({ cmd: 'subscribe', messageId: 3, subscriptions: [{ topic: topicOf(device), qos: 1 }] })
  assert.deepEqual(((await wire.next()) as unknown as { granted: number[] }).granted, [1])
  return wire
}

async function config(wire: WireDevice) {
  const packet = (await wire.next()) as IPublishPacket
  assert.deepEqual([packet.cmd, packet.qos, packet.retain], ['publish', 1, false])
  wire.send({ cmd: 'puback', messageId: packet.messageId! })
  return JSON.parse(String(packet.payload))
}

function publish(wire: WireDevice, device: { id: string }, body: object): void {
  const payload = JSON.stringify(body)
  wire.send({ cmd: 'publish', topic: topicOf(device), payload, qos: 1, messageId: 9, dup: false, retain: false })
}

describe('settings over MQTT', () => {
  for (const version of [4, 5] as const) {
    it(`MQTT ${version === 4 ? '3.1.1' : '5'}: the whole document at SUBSCRIBE and at each change, on another process too`, async () => {
      const device = await claimed()
      await want(device, 20)
      const wire = await subscribed(device, version)
      const first = await config(wire)
      assert.deepEqual([first.version, first.config], [1, { target: 20 }])
      assert.match(first.last_updated, /^\d{4}-.*Z$/)
      await want(device, 21)
      const { version: next, config: values } = await config(wire)
      assert.deepEqual([next, values], [2, { target: 21 }])
      publish(wire, device, { version: 2, result: 'applied' })
      assert.equal(((await wire.next()) as Packet).cmd, 'puback')
      const [row] = await sql`select reported_version from device_settings where device_id = ${device.id}`
      assert.equal(row!.reported_version, 2)
    })
  }

  it('a change at the device becomes the next version; one of an older version is refused, and the newest is sent', async () => {
    const device = await claimed()
    await want(device, 20)
    const wire = await subscribed(device, 5)
    await config(wire)
    publish(wire, device, { base_version: 1, values: { target: 9 } })
    const packets = [await wire.next(), await wire.next()] as IPublishPacket[]
    assert.deepEqual(packets.map(({ cmd }) => cmd).toSorted(), ['puback', 'publish'])
    publish(wire, device, { base_version: 1, values: { target: 10 } })
    const puback = (await wire.next()) as { reasonCode: number }
    assert.equal(puback.reasonCode, 0x83)
    const { version, config: values } = await config(wire)
    assert.deepEqual([version, values], [2, { target: 9 }])
    publish(wire, device, { version: 1, result: 'perhaps' })
    assert.equal(((await wire.next()) as { reasonCode: number }).reasonCode, 0x99)
  })

  it('a device of which nothing was ever wanted gets nothing', async () => {
    const device = await claimed()
    const wire = await subscribed(device, 5)
    wire.send({ cmd: 'pingreq' })
    assert.equal(((await wire.next()) as Packet).cmd, 'pingresp')
  })
})
