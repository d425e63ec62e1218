// A device whose process is killed at any moment executes no command twice, and every command gets an outcome.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { DeviceModel, type RegisteredDevice } from '../../client/src/index.ts'
import { settleDueCommands } from '../../server/src/devices/commands/command-deadlines.ts'
import { fleetCommandTopic } from '../../server/src/devices/live/topics.ts'
import { createApiKey } from '../../server/src/directory/api-keys.ts'
import { createCertificate } from '../../server/src/platform/tls/self-signed-certificate.ts'
import { giveCommand } from '../support/announce-command.ts'
import { findBrokenRules } from '../support/commands.ts'
import { newMac, newModel } from '../support/devices.ts'
import { startKitService } from '../support/kit-service.ts'
import { startListener } from '../support/mqtt.ts'
import { createOrganization } from '../support/organization.ts'
import { until } from '../support/until.ts'

const { service, url } = await startKitService()
const { sql } = service
const organization = await createOrganization(service)
const tls = await createCertificate(['127.0.0.1', 'localhost'], new Date())
const listener = await startListener(service.context, tls)
const folder = await mkdtemp(join(tmpdir(), 'landbridge-killed-'))
after(() => rm(folder, { recursive: true, force: true }))

/** As the service's job does: what a killed process took is handed out again. */
const settling = setInterval(() => void settleDueCommands(service.context).catch(() => {}), 500)
after(() => clearInterval(settling))

interface Device extends RegisteredDevice {
  partner_id: string
  apiKey: string
}

/** Each of another partner: a fleet's poll brings the commands of all its devices. */
async function claimed(): Promise<Device> {
  const model = await newModel(service)
  const { partner_id } = model
  const { key: apiKey } = await createApiKey(service.context, { kind: 'operator' }, { partner_id }, { name: 'Kit' })
  const kit = new DeviceModel({ entryUrl: url, modelId: model.id, hardwareKey: model.hardware_key })
  const label = { mac: newMac(), sn: newMac() }
  const device = await kit.register({ ...label, firmware_version: '1.0.0' })
  const { status } = await organization.call('session', 'POST', '/devices/claim', { ...label, model_id: model.id })
  assert.equal(status, 201)
  return { ...device, mqtt_hub_url: `mqtts://localhost:${listener.port}`, partner_id, apiKey }
}

async function queue({ id: device_id, partner_id }: Device, name: string): Promise<string> {
  const { customer_id } = organization
  const id = await giveCommand(service.context, { device_id, partner_id, customer_id, name, timeout: 5 })
  await service.context.notifications.publish(sql, fleetCommandTopic, [partner_id])
  return id
}

const source = (name: string) => JSON.stringify(new URL(`../../client/src/${name}.ts`, import.meta.url).href)
const backoff = '{ attempts: 2, firstDelayMs: 10, longestDelayMs: 100 }'

/** What makes a device, or a fleet, of a store. */
const ways: Record<string, (device: Device) => string> = {
  http: (device) => `
    const model = new DeviceModel({ entryUrl: '${url}', modelId: 'm', hardwareKey: 'k', backoff: ${backoff} })
    const controlled = new ControlledDevice(${JSON.stringify(device)}, model, { store })`,
  mqtt: (device) => `
    const sender = new MqttSender({ ca: ${JSON.stringify(tls.certificate)}, backoff: ${backoff} })
    const controlled = new ControlledDevice(${JSON.stringify(device)}, sender, { store })`,
  fleet: ({ apiKey }) => `
    const partner = new Partner({ url: '${url}', apiKey: '${apiKey}', backoff: ${backoff} })
    const controlled = new ControlledFleet(partner, { store })`,
}

function start(way: string, path: string): ChildProcess {
  const script = `
    import { appendFileSync } from 'node:fs'
    import { fileCommandStore } from ${source('file')}
    import { ControlledDevice, ControlledFleet, DeviceModel, Partner } from ${source('index')}
    import { MqttSender } from ${source('mqtt')}
    const store = await fileCommandStore(${JSON.stringify(path)})
    ${way}
    const executed = (what) => appendFileSync(${JSON.stringify(`${path}.log`)}, what + '\\n')
    controlled.onCommand('work', async (_, { id }) => {
      executed(id)
      await new Promise((resolve) => setTimeout(resolve, 30))
      return 'worked'
    })
    controlled.onCommand('reboot', async (_, { id }) => {
      executed(id)
      process.kill(process.pid, 'SIGKILL')
    }, { resume: async () => 'rebooted' })
    await controlled.start()
    console.log('started')`
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script]
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] })
  after(() => child.kill('SIGKILL'))
  return child
}

const executedIn = async (path: string) =>
  (await readFile(`${path}.log`, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')

async function statesOf(ids: string[]) {
  const rows = await sql`select id, state, message, result from device_commands where id = any(${ids}) order by number`
  return rows.map(({ id, state, message, result }) => ({ id, state, message, result }))
}
const isOver = async (ids: string[]) =>
  (await statesOf(ids)).every(({ state }) => !['queued', 'sent', 'in_progress'].includes(state))

describe('partner kit: devices that are killed', { concurrency: true }, () => {
  for (const [name, way] of Object.entries(ways)) {
    it(`${name}: killed again and again, each command is executed once at most, and has the outcome that fits`, async () => {
      const device = await claimed()
      const path = join(folder, name)
      const ids: string[] = []
      for (let n = 0; n < 15; n += 1) ids.push(await queue(device, 'work'))
      let kills = 0
      for (; kills < 8 && !(await isOver(ids)); kills += 1) {
        const before = (await executedIn(path)).length
        const child = start(way(device), path)
        // In the middle of a command, before it, or while its outcome is stored and reported.
        await until(async () => (await executedIn(path)).length > before || (await isOver(ids)), 'it executes', 60)
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 60))
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      const last = start(way(device), path)
      await until(() => isOver(ids), 'each has an outcome', 90)
      last.kill('SIGKILL')
      const executed = await executedIn(path)
      assert.equal(new Set(executed).size, executed.length, 'none twice')
      const states = await statesOf(ids)
      for (const { id, state, message, result } of states) {
        if (state === 'done') assert.deepEqual([executed.includes(id), result], [true, 'worked'])
        // A command that had begun when the process was killed, and over a fleet one that nobody hands out again.
        else if (state === 'failed') assert.match(message, /^Interrupted: /)
        else assert.equal(`${name} ${state}`, 'fleet unknown')
      }
      const count = (of: string) => states.filter(({ state }) => state === of).length
      assert.ok(count('done') > 0 && kills > 2, `${count('done')} done, ${kills} kills`)
      assert.ok(count('failed') + count('unknown') <= kills, 'not more were interrupted than there were kills')
      const order = executed.map((id) => ids.indexOf(id))
      assert.deepEqual(
        order,
        order.toSorted((a, b) => a - b),
        'in order',
      )
      assert.deepEqual(await findBrokenRules(sql), [])
    })

    it(`${name}: a device that restarts because of a command says so when it is back`, async () => {
      const device = await claimed()
      const path = join(folder, `${name}-reboot`)
      const id = await queue(device, 'reboot')
      const child = start(way(device), path)
      await once(child, 'exit')
      assert.equal((await statesOf([id]))[0]!.state, 'in_progress')
      const back = start(way(device), path)
      await until(() => isOver([id]), 'back', 60)
      back.kill('SIGKILL')
      const { state, result } = (await statesOf([id]))[0]!
      assert.deepEqual([state, result, await executedIn(path)], ['done', 'rebooted', [id]])
    })
  }
})
