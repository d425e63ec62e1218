import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { newModel, online, register } from '../../test/support/devices.ts'
import { startHarness } from '../../test/support/harness.ts'
import { WireDevice } from '../../test/support/mqtt.ts'
import { renegotiate } from '../../test/support/renegotiation.ts'
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

describe('decision 7.70: TLS', () => {
  it('no listener grants a renegotiation', async () => {
    const closing = new Closing(service.context.log)
    after(() => closing.close())
    const { https, mqtt } = await openDeviceListeners(service.context, closing)
    assert.deepEqual(await Promise.all([https, mqtt].map(renegotiate)), ['refused', 'refused'])
  })

  it('every listener has its options from one function: nothing else gives Node.js a key', async () => {
    const files = (await readdir(import.meta.dirname, { recursive: true })).filter((file) =>
      /(?<!\.test)\.ts$/.test(file),
    )
    const sources = await Promise.all(files.map((file) => readFile(join(import.meta.dirname, file), 'utf8')))
    const found = files.filter((_, index) => /\bkey: (\w+\.)?privateKey\b|\bcert: /.test(sources[index]!))
    assert.deepEqual(found, ['platform/tls/listener-tls.ts'])
  })
})
