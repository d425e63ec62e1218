import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IConnectPacket, IPublishPacket, Packet } from 'mqtt-packet'
import { giveCommand } from '../../../../test/support/announce-command.ts'
import { ageCommand, findBrokenRules } from '../../../../test/support/commands.ts'
import { startScene } from '../../../../test/support/devices.ts'
import { type Credentials, startListener, WireDevice } from '../../../../test/support/mqtt.ts'
import { until } from '../../../../test/support/until.ts'
import { pollLimits } from '../../platform/own-limits.ts'
import { removeDevice } from '../registry/devices.ts'

const { claimed, context, customer, partner, sql } = await startScene()
// What expires is judged by the clock of the database, which is the service's own.
const { port } = await startListener({ ...context, now: () => new Date() })
const wires: WireDevice[] = []
after(() => {
  for (const { socket } of wires) socket.destroy()
})

const versions = [4, 5] as const
const named = { 4: 'MQTT 3.1.1', 5: 'MQTT 5' }
const topicOf = ({ id }: { id: string }, rest = 'command') => `v1/devices/${id}/${rest}`
const give = (device: { id: string }, more: object = {}) =>
  giveCommand(context, { device_id: device.id, ...partner, ...customer, ...more })

async function connected(device: Credentials, version: 4 | 5, change: Partial<IConnectPacket> = {}) {
  const wire = new WireDevice(port, version)
  wires.push(wire)
  await wire.connect(device, change)
  return wire
}

async function subscribe(wire: WireDevice, topics: string[], qos: 0 | 1 | 2 = 1): Promise<number[]> {
  wire.send({ cmd: 'subscribe', messageId: 3, subscriptions: topics.map((topic) => ({ topic, qos })) })
  return ((await wire.next()) as { granted: number[] }).granted
}

/** The next packet, which is a PUBLISH, with its body. */
async function command(wire: WireDevice) {
  const packet = (await wire.next()) as IPublishPacket
  assert.equal(packet.cmd, 'publish')
  return { packet, body: JSON.parse(String(packet.payload)) }
}

const acknowledge = (wire: WireDevice, { packet }: { packet: IPublishPacket }) =>
  wire.send({ cmd: 'puback', messageId: packet.messageId! })

async function find(id: string) {
  const [row] = await sql`select * from device_commands where id = ${id}`
  return row!
}

/** Nothing came: the reply to a ping is the next packet. */
async function assertQuiet(wire: WireDevice, milliseconds = 300): Promise<void> {
  await sleep(milliseconds)
  wire.send({ cmd: 'pingreq' })
  assert.equal(((await wire.next()) as Packet).cmd, 'pingresp')
}

function report(wire: WireDevice, topic: string, body: object | string, qos: 0 | 1 = 1): void {
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  wire.send({ cmd: 'publish', topic, payload, qos, messageId: 11, dup: false, retain: false })
}

describe('a subscription of a device', () => {
  for (const version of versions) {
    it(`${named[version]}: to its commands and settings is granted with QoS 0 or 1, also by the alias`, async () => {
      const device = await claimed()
      const wire = await connected(device, version)
      const own = [topicOf(device), topicOf(device, 'config'), `v1/device/${device.id}/command`]
      assert.deepEqual(await subscribe(wire, own, 0), [0, 0, 0])
      assert.deepEqual(await subscribe(wire, own, 1), [1, 1, 1])
      assert.deepEqual(await subscribe(wire, own, 2), [1, 1, 1])
    })

    it(`${named[version]}: any other is refused, each filter by itself`, async () => {
      const [device, other] = [await claimed(), await claimed()]
      const wire = await connected(device, version)
      const refused = version === 5 ? 0x87 : 0x80
      const filters = [
        ...['#', 'v1/devices/+/command', `v1/devices/${device.id}/#`, topicOf(device, 'telemetry')],
        ...[topicOf(other), `${topicOf(device)}/`, `${topicOf(device)}/${device.id}`, `$share/g/${topicOf(device)}`],
      ]
      const codes = await subscribe(wire, [topicOf(device), ...filters])
      assert.deepEqual(codes, [1, ...filters.map(() => refused)])
      await give(other)
      await assertQuiet(wire)
    })

    it(`${named[version]}: a command reaches the device at its SUBSCRIBE, and again at the next one`, async () => {
      const device = await claimed()
      const id = await give(device, { name: 'blink', parameters: { times: 3 } })
      const wire = await connected(device, version)
      await subscribe(wire, [topicOf(device)])
      const first = await command(wire)
      const { created_at, expires_at } = await find(id)
      assert.deepEqual(first.body, {
        ...{ id, device_id: device.id, name: 'blink', parameters: { times: 3 }, state: 'sent' },
        ...{ created_at: created_at.toISOString(), expires_at: expires_at.toISOString(), attempt: 1 },
      })
      const { topic, qos, retain, dup } = first.packet
      assert.deepEqual([topic, qos, retain, dup], [topicOf(device), 1, false, false])
      assert.equal((await find(id)).delivered_at, null)
      acknowledge(wire, first)
      await until(async () => (await find(id)).delivered_at !== null, 'delivered')
      await subscribe(wire, [`v1/device/${device.id}/command`], 0)
      const again = await command(wire)
      assert.deepEqual([again.body.id, again.body.attempt], [id, 2])
      assert.deepEqual([again.packet.topic, again.packet.qos], [`v1/device/${device.id}/command`, 0])
    })

    it(`${named[version]}: of commands that are created later, each comes when the one before is reported`, async () => {
      const device = await claimed()
      const wire = await connected(device, version)
      await subscribe(wire, [topicOf(device)])
      await assertQuiet(wire)
      const [one, two] = [await give(device), await give(device)]
      const first = await command(wire)
      assert.equal(first.body.id, one)
      acknowledge(wire, first)
      await assertQuiet(wire)
      report(wire, `${topicOf(device)}/${one}`, { status: 'done', result: { ok: true } })
      const packets = [await wire.next(), await wire.next()] as IPublishPacket[]
      // The next command may come before or after the PUBACK.
      assert.deepEqual(packets.map(({ cmd }) => cmd).toSorted(), ['puback', 'publish'])
      const second = packets.find(({ cmd }) => cmd === 'publish')!
      assert.equal(JSON.parse(String(second.payload)).id, two)
      assert.notEqual(second.messageId, first.packet.messageId)
      assert.deepEqual(await sql`select state, result from device_commands where id = ${one}`.then((rows) => rows[0]), {
        state: 'done',
        result: { ok: true },
      })
    })

    it(`${named[version]}: nothing new comes after an UNSUBSCRIBE, and what was sent can be acknowledged`, async () => {
      const device = await claimed()
      const wire = await connected(device, version)
      await give(device)
      await subscribe(wire, [topicOf(device)])
      const sent = await command(wire)
      const unsubscriptions = [topicOf(device, 'config'), topicOf(device)]
      wire.send({ cmd: 'unsubscribe', messageId: 4, unsubscriptions })
      const unsuback = (await wire.next()) as unknown as { granted: number[] }
      if (version === 5) assert.deepEqual(unsuback.granted, [0x11, 0])
      acknowledge(wire, sent)
      await until(async () => (await find(sent.body.id)).delivered_at !== null, 'delivered')
      report(wire, `${topicOf(device)}/${sent.body.id}`, { status: 'done' })
      assert.equal(((await wire.next()) as Packet).cmd, 'puback')
      await give(device)
      await assertQuiet(wire)
    })

    it(`${named[version]}: none comes after it has expired`, async () => {
      const device = await claimed()
      const id = await give(device, { expires_after: 60 })
      await ageCommand(sql, id, 61)
      const wire = await connected(device, version)
      await subscribe(wire, [topicOf(device)])
      await assertQuiet(wire)
      assert.equal((await find(id)).state, 'expired')
    })

    it(`${named[version]}: one that the device removed is not sent, and the connection ends`, async () => {
      const device = await claimed()
      const wire = await connected(device, version)
      await subscribe(wire, [topicOf(device)])
      await removeDevice(context, { kind: 'operator' }, partner, device.id)
      for (let packet = await wire.next(); packet !== 'closed'; packet = await wire.next()) {
        assert.notEqual(packet.cmd, 'publish')
      }
    })
  }

  it('MQTT 5: message expiry, correlation data and response topic', async () => {
    const device = await claimed()
    const id = await give(device, { expires_after: 120 })
    const wire = await connected(device, 5)
    await subscribe(wire, [topicOf(device)])
    const { properties } = (await command(wire)).packet
    const { messageExpiryInterval, correlationData, ...rest } = properties!
    assert.ok(messageExpiryInterval! > 60 && messageExpiryInterval! <= 120, `${messageExpiryInterval}`)
    assert.equal(String(correlationData), id)
    assert.deepEqual(rest, {
      payloadFormatIndicator: true,
      contentType: 'application/json',
      responseTopic: `v1/devices/${device.id}/command/${id}`,
    })
  })

  it('MQTT 5: a subscription identifier is refused with 0xA1, as the CONNACK says', async () => {
    const device = await claimed()
    const wire = await connected(device, 5)
    wire.send({
      cmd: 'subscribe',
      messageId: 3,
      subscriptions: [{ topic: topicOf(device), qos: 1 }],
      properties: { subscriptionIdentifier: 5 },
    })
    assert.deepEqual(((await wire.next()) as unknown as { granted: number[] }).granted, [0xa1])
  })

  it('MQTT 5: no more than the receive maximum is sent before its PUBACK', async () => {
    const device = await claimed()
    const one = await give(device)
    await give(device)
    const wire = await connected(device, 5, { properties: { receiveMaximum: 1 } })
    await subscribe(wire, [topicOf(device)])
    const first = await command(wire)
    assert.equal(first.body.id, one)
    report(wire, `${topicOf(device)}/${one}`, { status: 'done' })
    assert.equal(((await wire.next()) as Packet).cmd, 'puback')
    await assertQuiet(wire)
    acknowledge(wire, first)
    assert.notEqual((await command(wire)).body.id, one)
  })

  it('MQTT 5: what exceeds the maximum packet size is not sent, and its partner can find out', async () => {
    const device = await claimed()
    await give(device, { parameters: { text: 'x'.repeat(2_000) } })
    const wire = await connected(device, 5, { properties: { maximumPacketSize: 1_000 } })
    await subscribe(wire, [topicOf(device)])
    await assertQuiet(wire)
    await until(async () => {
      await context.integrationLog.flush()
      const rows =
        await sql`select from integration_failures where device_id = ${device.id} and error = 'packet_too_large'`
      return rows.length === 1
    }, 'an entry in the log')
  })

  it('a PUBACK of no message that was sent ends the connection', async () => {
    const device = await claimed()
    const wire = await connected(device, 5)
    await subscribe(wire, [topicOf(device)])
    wire.send({ cmd: 'puback', messageId: 1 })
    assert.equal(((await wire.next()) as { reasonCode: number }).reasonCode, 0x82)
  })

  it('a command goes to the newest connection of the device only', async () => {
    const device = await claimed()
    const before = await connected(device, 5)
    await subscribe(before, [topicOf(device)])
    const now = await connected(device, 5)
    await subscribe(now, [topicOf(device)])
    const id = await give(device)
    assert.equal((await command(now)).body.id, id)
    assert.equal(((await before.next()) as { reasonCode: number }).reasonCode, 0x8e)
    assert.equal(await before.next(), 'closed')
  })

  it('what was created while no notification came is sent once they come again', async () => {
    const device = await claimed()
    const wire = await connected(device, 5)
    await subscribe(wire, [topicOf(device)])
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'landbridge live' and datname = current_database()`
    const id = await give(device)
    assert.equal((await command(wire)).body.id, id)
    assert.deepEqual(await findBrokenRules(sql), [])
  })
})

describe('a report by MQTT', () => {
  it('names its command in the topic or in the body', async () => {
    const device = await claimed()
    const id = await give(device)
    const wire = await connected(device, 5)
    report(wire, topicOf(device), { id, status: 'in_progress', message: 'at it' })
    assert.equal(((await wire.next()) as { reasonCode?: number }).reasonCode ?? 0, 0)
    assert.equal((await find(id)).state, 'in_progress')
    report(wire, `v1/device/${device.id}/command/${id}`, { status: 'failed', message: 'no' })
    assert.equal(((await wire.next()) as { reasonCode?: number }).reasonCode ?? 0, 0)
    assert.deepEqual([(await find(id)).state, (await find(id)).message], ['failed', 'no'])
  })

  it('is refused in MQTT 5 with a reason, and the connection stays', async () => {
    const [device, other] = [await claimed(), await claimed()]
    const [id, ofOther] = [await give(device), await give(other)]
    const wire = await connected(device, 5)
    const code = async () => ((await wire.next()) as { reasonCode?: number }).reasonCode ?? 0
    const cases: [string, object | string, number][] = [
      [ofOther, { status: 'done' }, 0x87],
      [id, { status: 'finished' }, 0x99],
      [id, { status: 'done', id: ofOther }, 0x99],
      [id, { status: 'done', more: 1 }, 0x99],
      [id, { status: 'done', message: 7 }, 0x99],
      [id, { status: 'done', message: 'x'.repeat(1_025) }, 0x99],
      [id, { status: 'done', result: 'x'.repeat(17_000) }, 0x99],
      [id, '{', 0x99],
      [id, '[]', 0x99],
      [id, { status: 'done' }, 0],
      [id, { status: 'done' }, 0],
      [id, { status: 'failed' }, 0x83],
    ]
    for (const [commandId, body, expected] of cases) {
      report(wire, `${topicOf(device)}/${commandId}`, body)
      assert.equal(await code(), expected, JSON.stringify(body).slice(0, 60))
    }
    assert.equal((await find(ofOther)).state, 'queued')
  })

  it('decision 7.88: one that can never be accepted is acknowledged in MQTT 3.1.1, which would send it for ever', async () => {
    const device = await claimed()
    const id = await give(device)
    const wire = await connected(device, 4)
    report(wire, `${topicOf(device)}/${id}`, { status: 'done' })
    assert.equal(((await wire.next()) as Packet).cmd, 'puback')
    report(wire, `${topicOf(device)}/${id}`, { status: 'failed' })
    assert.equal(((await wire.next()) as Packet).cmd, 'puback')
    report(wire, `${topicOf(device)}/${id}`, { status: 'failed' }, 0)
    await assertQuiet(wire)
    assert.equal((await find(id)).state, 'done')
    report(wire, `${topicOf(device)}/${id}`, { status: 'unheard of' })
    assert.equal(await wire.next(), 'closed')
  })

  it('counts with the polls of the device', async () => {
    const device = await claimed()
    await context.commandCalls.takeMany(device.id, pollLimits.callsPerDevice, pollLimits.callsPerDevice)
    const id = await give(device)
    const wire = await connected(device, 5)
    report(wire, `${topicOf(device)}/${id}`, { status: 'done' })
    assert.equal(((await wire.next()) as { reasonCode: number }).reasonCode, 0x89)
    assert.equal((await find(id)).state, 'queued')
  })
})
