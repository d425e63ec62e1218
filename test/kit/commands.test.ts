// Commands by the kit, on the real service: over HTTP, MQTT and the poll of a fleet.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  CommandRejected,
  type CommandStore,
  ControlledDevice,
  ControlledFleet,
  DeviceModel,
  DeviceRemoved,
  memoryCommandStore,
  Partner,
  type RegisteredDevice,
} from '../../client/src/index.ts'
import { MqttSender } from '../../client/src/mqtt.ts'
import { settleDueCommands } from '../../server/src/devices/commands/command-deadlines.ts'
import { fleetCommandTopic } from '../../server/src/devices/live/topics.ts'
import { removeDevice } from '../../server/src/devices/registry/devices.ts'
import { createApiKey } from '../../server/src/directory/api-keys.ts'
import { createCertificate } from '../../server/src/platform/tls/self-signed-certificate.ts'
import { giveCommand } from '../support/announce-command.ts'
import { ageCommand, findBrokenRules } from '../support/commands.ts'
import { newMac, newModel } from '../support/devices.ts'
import { startKitService } from '../support/kit-service.ts'
import { startListener } from '../support/mqtt.ts'
import { createOrganization } from '../support/organization.ts'
import { until } from '../support/until.ts'

const { service, url } = await startKitService()
const { sql } = service
const organization = await createOrganization(service)
const model = await newModel(service)
const operator = { kind: 'operator' } as const
const owner = { partner_id: model.partner_id }
const { key: apiKey } = await createApiKey(service.context, operator, owner, { name: 'Kit' })
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

async function queue({ id: device_id }: RegisteredDevice, more: object = {}): Promise<string> {
  const id = await giveCommand(service.context, {
    ...{ device_id, ...owner, customer_id: organization.customer_id },
    ...more,
  })
  await service.context.notifications.publish(sql, fleetCommandTopic, [model.partner_id])
  return id
}

async function find(id: string) {
  const [row] = await sql`select state, message, result, attempts, delivered_at from device_commands where id = ${id}`
  return row!
}
const ends = async (id: string, state: string) => {
  await until(async () => (await find(id)).state === state, `${state}: ${JSON.stringify(await find(id))}`, 60)
  return await find(id)
}

type Handlers = Record<string, (parameters: Record<string, unknown>, context: { deviceId: string }) => unknown>

interface Controlled {
  start(): Promise<void>
  stop(): Promise<void>
}

interface Scene {
  /** What executes the commands of these devices. */
  control(devices: RegisteredDevice[], handlers: Handlers, store?: CommandStore): Controlled
}

function each(
  devices: RegisteredDevice[],
  handlers: Handlers,
  store: CommandStore,
  ask: 'wait' | 'telemetry' | 'mqtt',
) {
  const sender = new MqttSender({ ca: tls.certificate, backoff })
  const all = devices.map((device) => {
    const options = { store, ...(ask === 'mqtt' ? {} : { ask }) }
    const controlled = new ControlledDevice(device, ask === 'mqtt' ? sender : kit, options)
    for (const [name, handler] of Object.entries(handlers)) controlled.onCommand(name, handler)
    return controlled
  })
  const tell = () => {
    if (ask === 'telemetry') for (const device of devices) void kit.send(device, { status: 'online', telemetries: {} })
  }
  let timer: ReturnType<typeof setInterval> | undefined
  return {
    async start() {
      for (const controlled of all) await controlled.start()
      timer = setInterval(tell, 100)
    },
    async stop() {
      clearInterval(timer)
      await Promise.all(all.map((controlled) => controlled.stop()))
      await sender.close()
    },
  }
}

const scenes: Record<string, Scene> = {
  'HTTP, with a request that waits': {
    control: (devices, handlers, store = memoryCommandStore()) => each(devices, handlers, store, 'wait'),
  },
  'HTTP, as telemetry says': {
    control: (devices, handlers, store = memoryCommandStore()) => each(devices, handlers, store, 'telemetry'),
  },
  MQTT: { control: (devices, handlers, store = memoryCommandStore()) => each(devices, handlers, store, 'mqtt') },
  'the poll of a fleet': {
    control: (_, handlers, store = memoryCommandStore()) => {
      const fleet = new ControlledFleet(new Partner({ url, apiKey, backoff }), { store })
      for (const [name, handler] of Object.entries(handlers)) fleet.onCommand(name, handler)
      return fleet
    },
  },
}

for (const [name, { control }] of Object.entries(scenes)) {
  describe(`partner kit: commands over ${name}`, () => {
    async function started(devices: RegisteredDevice[], handlers: Handlers, store?: CommandStore) {
      const controlled = control(devices, handlers, store)
      await controlled.start()
      after(() => controlled.stop())
      return controlled
    }

    it('done with its result, failed, rejected; in the order in which they were sent, one at a time', async () => {
      const device = await claimed()
      const before = await queue(device, { name: 'measure', parameters: { points: 3 } })
      let running = 0
      const order: string[] = []
      const alone = (of: string, act: (parameters: Record<string, unknown>) => unknown) => {
        return async (parameters: Record<string, unknown>, { deviceId }: { deviceId: string }) => {
          assert.deepEqual([deviceId, ++running], [device.id, 1])
          order.push(of)
          await new Promise((resolve) => setTimeout(resolve, 20))
          running -= 1
          return act(parameters)
        }
      }
      const controlled = await started([device], {
        measure: alone('measure', ({ points }) => ({ points })),
        fail: alone('fail', () => {
          throw new Error('The valve is stuck.')
        }),
        refuse: alone('refuse', () => {
          throw new CommandRejected('Not while the door is open.')
        }),
      })
      const failing = await queue(device, { name: 'fail' })
      const refused = await queue(device, { name: 'refuse' })
      const unknown = await queue(device, { name: 'dance' })
      const last = await queue(device, { name: 'measure', parameters: { points: 4 } })
      assert.deepEqual((await ends(last, 'done')).result, { points: 4 })
      const { result, attempts, delivered_at } = await find(before)
      assert.deepEqual([result, attempts, delivered_at !== null], [{ points: 3 }, 1, true])
      assert.equal((await ends(failing, 'failed')).message, 'The valve is stuck.')
      assert.equal((await ends(refused, 'rejected')).message, 'Not while the door is open.')
      assert.equal((await ends(unknown, 'rejected')).message, 'This device does not know dance.')
      assert.deepEqual(order, ['measure', 'fail', 'refuse', 'measure'])
      await controlled.stop()
    })

    it('one that expired is not executed, and does not hold up the next', async () => {
      const device = await claimed()
      const late = await queue(device, { name: 'work' })
      await ageCommand(sql, late, 3_601)
      await settleDueCommands(service.context)
      const next = await queue(device, { name: 'work', parameters: { n: 2 } })
      const executed: unknown[] = []
      const controlled = await started([device], { work: (parameters) => void executed.push(parameters) })
      await ends(next, 'done')
      assert.deepEqual([(await find(late)).state, executed], ['expired', [{ n: 2 }]])
      await controlled.stop()
    })

    it('two processes with one store after the other: what the first executed, the second reports', async () => {
      const device = await claimed()
      const store = memoryCommandStore()
      const id = await queue(device, { name: 'work' })
      let executed = 0
      await store.write(device.id, {
        ...{ id, name: 'work', isSettled: false, resumed: 0 },
        outcome: { status: 'done', result: 'by the first' },
      })
      const controlled = await started([device], { work: () => (executed += 1) }, store)
      assert.deepEqual([(await ends(id, 'done')).result, executed], ['by the first', 0])
      await controlled.stop()
    })
  })
}

describe('partner kit: the end of a device that receives', () => {
  // It learns of it when its wait is over.
  const impatient = new DeviceModel({ ...kit.options, timeoutMs: 5_000 })
  for (const [name, way] of Object.entries({
    http: impatient,
    mqtt: new MqttSender({ ca: tls.certificate, backoff }),
  })) {
    it(`${name}: a removed device is told once, and asks no more`, async () => {
      const device = await claimed()
      const ended: unknown[] = []
      const controlled = new ControlledDevice(device, way, { onEnded: (error) => ended.push(error) })
      controlled.onCommand('work', () => {})
      await controlled.start()
      const id = await queue(device, { name: 'work' })
      await ends(id, 'done')
      await removeDevice(service.context, operator, owner, device.id)
      await until(() => ended.length === 1, 'told', 60)
      assert.ok(ended[0] instanceof DeviceRemoved, String(ended[0]))
      await controlled.stop()
      if (way instanceof MqttSender) await way.close()
    })
  }

  it('what the service holds is as it must be', async () => {
    assert.deepEqual(await findBrokenRules(sql), [])
  })

  it('two processes with the same device do not chase each other', async () => {
    const device = await claimed()
    let requests = 0
    const counting: typeof fetch = (input, init) => {
      if (String(input).includes('/command')) requests += 1
      return fetch(input, init)
    }
    const slow = { attempts: 3, firstDelayMs: 500, longestDelayMs: 30_000 }
    const options = { ...kit.options, fetch: counting, backoff: slow }
    const two = [0, 1].map(() => new ControlledDevice(device, new DeviceModel(options)))
    for (const controlled of two) await controlled.start()
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    for (const controlled of two) await controlled.stop()
    assert.ok(requests < 40, `${requests} requests in 3 s`)
  })
})
