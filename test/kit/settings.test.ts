// Settings by the kit, on the real service: applied, refused, and changed at the device.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  ControlledDevice,
  DeviceModel,
  type LandbridgeError,
  type RefusedSettings,
  type RegisteredDevice,
  type Value,
} from '../../client/src/index.ts'
import { MqttSender } from '../../client/src/mqtt.ts'
import { replaceDictionary } from '../../server/src/devices/registry/dictionary.ts'
import { createCertificate } from '../../server/src/platform/tls/self-signed-certificate.ts'
import { newMac, newModel } from '../support/devices.ts'
import { startKitService } from '../support/kit-service.ts'
import { startListener } from '../support/mqtt.ts'
import { createOrganization } from '../support/organization.ts'
import { until } from '../support/until.ts'

const { service, url } = await startKitService()
const organization = await createOrganization(service)
const model = await newModel(service)
await replaceDictionary(service.context, { kind: 'operator' }, model.partner_id, model.id, {
  data_points: [
    { key: 'target', type: 'number', settable: true },
    { key: 'brightness', type: 'number', settable: true },
    { key: 'lock', type: 'boolean', settable: true },
  ],
})
const tls = await createCertificate(['127.0.0.1', 'localhost'], new Date())
const listener = await startListener(service.context, tls)
const backoff = { attempts: 3, firstDelayMs: 10, longestDelayMs: 50 }
const kit = new DeviceModel({ entryUrl: url, modelId: model.id, hardwareKey: model.hardware_key, backoff })

async function claimed(): Promise<RegisteredDevice> {
  const label = { mac: newMac(), sn: newMac() }
  const device = await kit.register({ ...label, firmware_version: '1.0.0' })
  const { status } = await organization.call('session', 'POST', '/devices/claim', { ...label, model_id: model.id })
  assert.equal(status, 201)
  return { ...device, mqtt_hub_url: `mqtts://localhost:${listener.port}` }
}

const want = async (device: RegisteredDevice, values: object) => {
  const { status, body } = await organization.call('session', 'PATCH', `/devices/${device.id}/settings`, { values })
  assert.equal(status, 200, JSON.stringify(body))
  return body.version as number
}
const stateOf = async (device: RegisteredDevice) => {
  const { body } = await organization.call('session', 'GET', `/devices/${device.id}/settings`)
  return Object.fromEntries(
    body.values.flatMap(({ key, desired, state, message }: Record<string, unknown>) =>
      desired === null ? [] : [[key, [desired, state, message].filter((each) => each !== null).join(' ')]],
    ),
  )
}

const ways = {
  http: () => kit,
  mqtt: () => {
    const sender = new MqttSender({ ca: tls.certificate, backoff })
    after(() => sender.close())
    return sender
  },
}

for (const [name, way] of Object.entries(ways)) {
  describe(`partner kit: settings over ${name}`, () => {
    function follow(device: RegisteredDevice, judge: (values: Record<string, Value>) => RefusedSettings | undefined) {
      const applied: [number, Record<string, Value>][] = []
      const errors: unknown[] = []
      const controlled = new ControlledDevice(device, way(), { onError: (error) => errors.push(error) })
      controlled.onSettings(async (values, { version }) => {
        applied.push([version, values])
        return judge(values)
      })
      after(() => controlled.stop())
      return { controlled, applied, errors }
    }

    it('what was wanted before it started, and what is wanted later, is applied as a whole and reported', async () => {
      const device = await claimed()
      await want(device, { target: 21 })
      const { controlled, applied } = follow(device, () => undefined)
      await controlled.start()
      await until(() => applied.length === 1, 'the first version')
      await until(async () => (await stateOf(device)).target === '21 in_sync', 'reported')
      await want(device, { lock: true })
      // Over HTTP the response to a message tells of it.
      if (name === 'http') await kit.send(device, { status: 'online', telemetries: {} })
      await until(() => applied.length === 2, 'the second version')
      assert.deepEqual(applied, [
        [1, { target: 21 }],
        [2, { target: 21, lock: true }],
      ])
    })

    it('a setting that the device refuses is rejected with its reason, and one that it does not have is unsupported', async () => {
      const device = await claimed()
      await want(device, { target: 21, brightness: 90, lock: true })
      const { controlled } = follow(device, () => ({
        brightness: 'This panel goes up to 80.',
        lock: { unsupported: true },
      }))
      await controlled.start()
      await until(async () => (await stateOf(device)).target === '21 in_sync', 'reported')
      assert.deepEqual(await stateOf(device), {
        target: '21 in_sync',
        brightness: '90 rejected This panel goes up to 80.',
        lock: 'true unsupported',
      })
    })

    it('a handler that fails is called again, with what is wanted by then', async () => {
      const device = await claimed()
      await want(device, { target: 1 })
      let calls = 0
      const { controlled, applied, errors } = follow(device, () => {
        calls += 1
        if (calls < 3) throw new Error('The bus is busy.')
        return undefined
      })
      await controlled.start()
      await until(async () => (await stateOf(device)).target === '1 in_sync', 'applied')
      assert.deepEqual([applied.length, errors.map(String)], [3, Array(2).fill('Error: The bus is busy.')])
    })

    it('a change at the device becomes what is wanted; what others changed meanwhile is applied first', async () => {
      const device = await claimed()
      await want(device, { target: 21 })
      const { controlled, applied } = follow(device, () => undefined)
      await controlled.start()
      await until(() => applied.length === 1, 'the first version')
      assert.equal(await controlled.changeSettings({ target: 18 }), 2)
      assert.deepEqual(await stateOf(device), { target: '18 in_sync' })
      assert.equal(applied.length, 1, 'the device has it already')

      if (name === 'http') {
        assert.equal(await want(device, { lock: true }), 3)
        assert.equal(await controlled.changeSettings({ target: 19 }), 4)
        assert.deepEqual(applied.at(-1), [3, { target: 18, lock: true }])
        await until(async () => (await stateOf(device)).lock === 'true in_sync', 'both')
        assert.deepEqual(await stateOf(device), { target: '19 in_sync', lock: 'true in_sync' })
      }
      await assert.rejects(controlled.changeSettings({ target: 20 }, { baseVersion: 1 }), (error: LandbridgeError) => {
        assert.equal(error.code, 'settings_changed')
        return true
      })
    })

    it('what no customer wants is changed from version 0; what the model does not declare is refused', async () => {
      const device = await claimed()
      const { controlled, applied } = follow(device, () => undefined)
      await controlled.start()
      assert.equal(await controlled.changeSettings({ target: 18 }), 1)
      await assert.rejects(controlled.changeSettings({ temperature: 18 }), { code: 'invalid' })
      assert.deepEqual([await stateOf(device), applied], [{ target: '18 in_sync' }, []])
    })
  })
}
