import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newMac, newModel, post, register, registration } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { testMasterKey } from '../../../../test/support/keys.ts'
import { holdLocks, untilWaiting } from '../../../../test/support/locks.ts'
import { type Credentials, startListener, WireDevice } from '../../../../test/support/mqtt.ts'
import { requireWithin, until } from '../../../../test/support/until.ts'
import { createContext } from '../../context.ts'
import { listenerApplicationName } from '../../platform/database/notifications.ts'
import { getDevice, openReplaceWindow, removeDevice } from '../registry/devices.ts'
import { telemetryTopic } from './device-topics.ts'

const service = await startHarness()
/** Another process: its own context and notifications, on the same database. */
const elsewhere = createContext({ ...service.context, keys: { master: testMasterKey, operator: 'x'.repeat(32) } })
const here = await startListener(service.context)
const there = await startListener(elsewhere)
const model = await newModel(service)
const operator = { kind: 'operator' } as const
const devices: WireDevice[] = []
after(async () => {
  for (const { socket } of devices) socket.destroy()
  await elsewhere.telemetry.close()
  await elsewhere.notifications.close()
})

const online = { status: 'online', telemetries: { level: 1 } }

async function connected(credentials: Credentials, version: 4 | 5, listener = here, change: object = {}) {
  const device = new WireDevice(listener.port, version)
  devices.push(device)
  const connack = await device.connect(credentials, change)
  assert.equal((connack as { cmd: string }).cmd, 'connack')
  return device
}

/** Connected, and online because it has published. */
async function connectedOnline(credentials: Credentials, version: 4 | 5, listener = here, change: object = {}) {
  const device = await connected(credentials, version, listener, change)
  device.publish(credentials, online)
  assert.equal(((await device.next()) as { cmd: string }).cmd, 'puback')
  return device
}

async function statusOf({ id }: { id: string }): Promise<string> {
  const [row] = await service.sql`select devices.status, device_states.status as effective
    from devices join device_states on device_id = id where id = ${id}`
  // The directory's follows within moments.
  return row!.status === row!.effective ? row!.status : `${row!.effective}, still listed as ${row!.status}`
}

async function becomes(device: { id: string }, status: string): Promise<void> {
  await until(async () => (await statusOf(device)) === status, status)
}

/** Whatever was to happen has happened when a device that is lost now has become offline, on each process. */
async function untilALaterLoss(): Promise<void> {
  const losses = [here, there].map(async (listener) => {
    const credentials = await register(service, model)
    ;(await connectedOnline(credentials, 4, listener)).socket.destroy()
    await becomes(credentials, 'offline')
  })
  await Promise.all(losses)
}

async function stays(device: { id: string }, status: string): Promise<void> {
  await untilALaterLoss()
  assert.equal(await statusOf(device), status)
}

describe('decision 7.16: a connection that is lost', () => {
  for (const version of [4, 5] as const) {
    it(`without a DISCONNECT sets the device offline at once, with one status change (version ${version})`, async () => {
      const credentials = await register(service, model)
      const device = await connectedOnline(credentials, version)
      device.socket.destroy()
      await becomes(credentials, 'offline')
      const changes =
        await service.sql`select status, previous from status_changes where device_id = ${credentials.id} order by number`
      assert.deepEqual(
        changes.map(({ status, previous }) => [previous, status]),
        [
          ['never_seen', 'online'],
          ['online', 'offline'],
        ],
      )
      const { reason } = await getDevice(service.context, { partner_id: model.partner_id }, credentials.id)
      assert.equal(reason, 'connection_lost')
    })

    it(`with a clean DISCONNECT leaves the status to the model's threshold (version ${version})`, async () => {
      const credentials = await register(service, model)
      const device = await connectedOnline(credentials, version)
      device.send({ cmd: 'disconnect', ...(version === 5 ? { reasonCode: 0 } : {}) })
      assert.equal(await device.next(), 'closed')
      await stays(credentials, 'online')
    })
  }

  it('MQTT 5: DISCONNECT with 0x04 requests the will, and so sets the device offline', async () => {
    const credentials = await register(service, model)
    const device = await connectedOnline(credentials, 5)
    device.send({ cmd: 'disconnect', reasonCode: 4 })
    await becomes(credentials, 'offline')
  })

  it('the will is stored as the last message, with the instant of the loss', async () => {
    const credentials = await register(service, model)
    const payload = Buffer.from(JSON.stringify({ status: 'error', telemetries: { battery: 2 } }))
    const will = { topic: telemetryTopic(credentials.id), payload, qos: 1, retain: false }
    const device = await connectedOnline(credentials, 4, here, { will })
    device.socket.destroy()
    const wills = () => service.sql`
      select history.status, telemetries from history join devices on number = device_number
      where id = ${credentials.id} and telemetries::jsonb ? 'battery'`
    await until(async () => (await wills()).length > 0)
    assert.deepEqual(
      (await wills()).map((row) => ({ ...row })),
      [{ status: 'offline', telemetries: { battery: 2 } }],
    )
    await becomes(credentials, 'offline')
    await stays(credentials, 'offline')
  })

  it('a message that is not yet committed does not set a lost device online', async () => {
    const credentials = await register(service, model)
    const device = await connected(credentials, 4)
    for (let messageId = 1; messageId <= 20; messageId += 1) device.publish(credentials, online, { messageId })
    await new Promise<void>((resolve) => device.socket.write('', () => resolve()))
    await sleep(5)
    device.socket.destroy()
    await untilALaterLoss()
    await until(async () => (await statusOf(credentials)) !== 'online')
    await stays(credentials, await statusOf(credentials))
  })

  it('a will that is not telemetry still sets the device offline', async () => {
    const credentials = await register(service, model)
    const will = { topic: telemetryTopic(credentials.id), payload: Buffer.from('gone'), qos: 0, retain: false }
    ;(await connectedOnline(credentials, 5, here, { will })).socket.destroy()
    await becomes(credentials, 'offline')
  })

  it('a device that never published stays never_seen', async () => {
    const credentials = await register(service, model)
    ;(await connected(credentials, 4)).socket.destroy()
    await stays(credentials, 'never_seen')
  })

  it('the next message sets it online again', async () => {
    const credentials = await register(service, model)
    ;(await connectedOnline(credentials, 4)).socket.destroy()
    await becomes(credentials, 'offline')
    await connectedOnline(credentials, 4)
    assert.equal(await statusOf(credentials), 'online')
  })
})

describe('decision 7.16: a second connection ends the first', () => {
  for (const [where, listener] of [
    ['on the same process', here],
    ['on another process', there],
  ] as const) {
    it(`${where}: MQTT 5 gets 0x8E, and the close of the first changes nothing`, async () => {
      const credentials = await register(service, model)
      const payload = Buffer.from(JSON.stringify({ status: 'offline', telemetries: {} }))
      const will = { topic: telemetryTopic(credentials.id), payload, qos: 1, retain: false }
      const first = await connectedOnline(credentials, 5, here, { will })
      const second = await connectedOnline(credentials, 5, listener)
      assert.equal(((await first.next()) as { reasonCode: number }).reasonCode, 0x8e)
      assert.equal(await first.next(), 'closed')
      await stays(credentials, 'online')
      second.publish(credentials, online, { messageId: 9 })
      assert.equal(((await second.next()) as { messageId: number }).messageId, 9)
    })

    it(`${where}: MQTT 3.1.1 is closed`, async () => {
      const credentials = await register(service, model)
      const first = await connectedOnline(credentials, 4)
      await connected(credentials, 4, listener)
      assert.equal(await first.next(), 'closed')
    })
  }

  it('of twenty at once, on two processes, exactly one stays', async () => {
    const credentials = await register(service, model)
    const rivals = await Promise.all(
      Array.from({ length: 20 }, (_, n) => connected(credentials, 5, n % 2 ? here : there)),
    )
    const open = () => rivals.filter(({ socket }) => !socket.destroyed).length
    await until(() => open() <= 1, 'one open')
    await sleep(200)
    assert.equal(open(), 1)
    const [row] = await service.sql`select number from device_connections where device_id = ${credentials.id}`
    assert.equal(Number(row!.number), 20)
  })

  it('a first connection whose loss is noticed late does not set the device offline', async () => {
    const credentials = await register(service, model)
    const first = await connectedOnline(credentials, 4, here)
    first.socket.pause()
    await connectedOnline(credentials, 4, there)
    first.socket.destroy()
    await stays(credentials, 'online')
  })
})

describe('decision 7.16: credentials that are revoked while connected', () => {
  for (const [where, listener] of [
    ['on this process', here],
    ['on another process', there],
  ] as const) {
    it(`a removed device is disconnected at once, ${where}`, async () => {
      await requireWithin(1_000, async () => {
        const credentials = await register(service, model)
        const [five, four] = [await connectedOnline(credentials, 5, listener), await register(service, model)]
        const old = await connectedOnline(four, 4, listener)
        const startedAt = performance.now()
        for (const { id } of [credentials, four]) {
          await removeDevice(service.context, operator, { partner_id: model.partner_id }, id)
        }
        assert.equal(((await five.next()) as { reasonCode: number }).reasonCode, 0x98)
        assert.equal(await five.next(), 'closed')
        assert.equal(await old.next(), 'closed')
        return performance.now() - startedAt
      })
    })
  }

  it('a device that registered again in its replace window: the connection with the former key ends', async () => {
    const identity = { mac: newMac(), sn: 'replaced' }
    const credentials = await register(service, model, identity)
    const device = await connectedOnline(credentials, 5, there)
    await openReplaceWindow(service.context, operator, { partner_id: model.partner_id }, credentials.id)
    const again = await post(service, '/v1/devices', registration(model, identity))
    assert.deepEqual([again.status, again.body.id], [201, credentials.id])
    assert.equal(((await device.next()) as { reasonCode: number }).reasonCode, 0x87)
    await connected(again.body, 5, there)
  })

  it('lost notifications: every connection is checked once the process listens again', async () => {
    const removed = await register(service, model)
    const replaced = await register(service, model)
    const untouched = await register(service, model)
    const [a, b, c] = [
      await connectedOnline(removed, 5, there),
      await connectedOnline(replaced, 5, there),
      await connectedOnline(untouched, 5, there),
    ]
    // As if the notifications were lost: the rows change, and then the listening connection breaks and comes back.
    await service.sql`update device_states set removed_at = now() where device_id = ${removed.id}`
    await service.sql`update device_states set key_digest = '\\x00' where device_id = ${replaced.id}`
    await service.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = ${listenerApplicationName}`
    assert.equal(((await a.next()) as { reasonCode: number }).reasonCode, 0x98)
    assert.equal(((await b.next()) as { reasonCode: number }).reasonCode, 0x87)
    assert.equal(c.socket.destroyed, false)
  })

  it('a process that stops acknowledges what it received, sends 0x8B to MQTT 5, and sets no device offline', async () => {
    const stopping = await startListener(service.context)
    const credentials = await register(service, model)
    const device = await connectedOnline(credentials, 5, stopping)
    const release = await holdLocks(
      service.sql,
      (hold) => hold`select from device_states where device_id = ${credentials.id} for update`,
    )
    // In one record: once the first is being stored, all were received.
    device.socket.cork()
    for (let messageId = 20; messageId < 30; messageId += 1) device.publish(credentials, online, { messageId })
    device.socket.uncork()
    await untilWaiting(service.sql)
    const stopped = stopping.close()
    await release()
    await stopped
    const acknowledged: number[] = []
    let packet = await device.next()
    for (; packet !== 'closed' && packet.cmd === 'puback'; packet = await device.next())
      acknowledged.push(packet.messageId!)
    assert.equal((packet as { reasonCode: number }).reasonCode, 0x8b)
    assert.equal(acknowledged.length, 10)
    await stays(credentials, 'online')
  })
})
