import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { skipOnCitus } from '../../../../test/support/citus.ts'
import { newModel, online, post, register, send } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { startListener, WireDevice } from '../../../../test/support/mqtt.ts'

const service = await startHarness()
const device = await register(service, await newModel(service))

describe('a full disk', () => {
  it('refuses telemetry with 503 storage_full, and nothing else', async (t) => {
    assert.equal((await send(service, device, online({ n: 1 }))).status, 200)
    let full = true
    t.mock.method(service.context.disk, 'isFull', () => full)
    const single = await send(service, device, online({ n: 2 }))
    const many = await post(service, '/v1/devices/telemetry', {
      devices: [{ id: device.id, access_key: device.access_key, ...online({ n: 3 }) }],
    })
    for (const { status, body, headers } of [single, many]) {
      assert.deepEqual([status, body.code, headers['retry-after']], [503, 'storage_full', '2'])
    }
    assert.equal((await service.operator('GET', '/partners')).status, 200)
    await register(service, await newModel(service))
    full = false
    assert.equal((await send(service, device, online({ n: 4 }))).status, 200)
  })

  it('ends MQTT connections that publish and accepts none, so that reconnecting devices write nothing', async (t) => {
    const listener = await startListener(service.context)
    const connections = () => service.sql`select number::int from device_connections where device_id = ${device.id}`
    for (const version of [4, 5] as const) {
      const wire = new WireDevice(listener.port, version)
      await wire.connect(device)
      const full = t.mock.method(service.context.disk, 'isFull', () => true)
      wire.publish(device, online({ n: 6 }))
      await wire.closed()
      const before = await connections()
      const again = new WireDevice(listener.port, version)
      const connack = (await again.connect(device)) as { returnCode?: number; reasonCode?: number }
      assert.equal(version === 4 ? connack.returnCode : connack.reasonCode, version === 4 ? 3 : 0x88)
      assert.deepEqual(await connections(), before)
      again.socket.destroy()
      full.mock.restore()
    }
  })

  it('is reported by a Postgres elsewhere in its own error, after which telemetry is refused for a while', {
    skip: skipOnCitus.trigger,
  }, async (t) => {
    const reported = t.mock.method(service.context.disk, 'reportFull')
    await service.sql.unsafe(`
      create function no_room() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
      create trigger no_room before insert on history for each row execute function no_room()`)
    const { status, body } = await send(service, device, online({ n: 5 }))
    assert.deepEqual([status, body.code], [503, 'storage_full'])
    assert.equal(reported.mock.callCount(), 1)
  })
})
