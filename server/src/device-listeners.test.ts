import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { newModel, online, register } from '../../test/support/devices.ts'
import { startHarness } from '../../test/support/harness.ts'
import { WireDevice } from '../../test/support/mqtt.ts'
import { openDeviceListeners } from './device-listeners.ts'
import { Closing } from './platform/process/closing.ts'

const service = await startHarness({
  LANDBRIDGE_HOST: '127.0.0.1',
  LANDBRIDGE_MQTTS_PORT: '0',
  LANDBRIDGE_STATIC_CERT_PORT: '0',
})

describe('a process that stops', () => {
  it('accepts MQTT messages after the last request, until it disconnects the devices, and sets none offline', async () => {
    const { app, context, sql } = service
    const credentials = await register(service, await newModel(service))
    const closing = new Closing(context.log)
    after(() => closing.close())
    const { mqttsPort } = await openDeviceListeners(context, closing)
    const device = new WireDevice(mqttsPort, 5)
    await device.connect(credentials)
    await app.close()
    device.publish(credentials, online({ level: 1 }))
    assert.equal(((await device.next()) as { cmd: string }).cmd, 'puback')
    await closing.close()
    assert.equal(((await device.next()) as { reasonCode: number }).reasonCode, 0x8b)
    const [row] = await sql`select status from devices where id = ${credentials.id}`
    assert.equal(row!.status, 'online')
  })
})
