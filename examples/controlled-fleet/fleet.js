// Devices that do as they are told, one over HTTP and one over MQTT. Kill it at any time: no command is executed twice, and
// the next start reports what the last one did.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { CommandRejected, ControlledDevice, DeviceModel, DeviceReporter } from '@landbridge/client'
import { fileCommandStore } from '@landbridge/client/file'
import { MqttSender } from '@landbridge/client/mqtt'
import { labCertificate, modelSettings } from '../lab.js'
import { readSensor } from '../sensors.js'
import { commands } from './commands.js'

const folder = process.env.FLEET_DATA || join(import.meta.dirname, 'data')
const stepMs = Number(process.env.FLEET_EVERY_MS || 5_000)

const model = new DeviceModel(await modelSettings())
await mkdir(folder, { recursive: true, mode: 0o700 })
const devices = [
  { sn: 'CT-0001', device: await registerOnce('CT-0001', '02:00:5e:40:00:00') },
  { sn: 'CT-0002', device: await registerOnce('CT-0002', '02:00:5e:40:00:01') },
]
const ca = process.env.MQTT_CA
  ? await readFile(process.env.MQTT_CA, 'utf8')
  : await labCertificate(devices[1].device.mqtt_hub_url)
const mqtt = new MqttSender(ca === undefined ? {} : { ca })
// It remembers what was executed, so that a command that is handed out again is not executed again.
const store = await fileCommandStore(join(folder, 'commands'))

const running = await Promise.all([
  control(devices[0], model, (to, telemetry) => model.send(to, telemetry)),
  control(devices[1], mqtt, mqtt.send),
])
console.log(`${running.length} devices wait for commands at ${model.options.entryUrl}. Stop with Ctrl-C.`)

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    for (const { controlled, reporter, timer } of running) {
      clearInterval(timer)
      await controlled.stop()
      await reporter.stop()
    }
    await mqtt.close()
    await store.close()
  })
}

async function control({ sn, device }, way, send) {
  const set = { set_point: 21, mode: 'comfort' }
  const log = (text) => console.log(`${sn}: ${text}`)
  const onError = (error) => console.error(`${sn}: ${error.message}`)
  const reporter = new DeviceReporter(device, send, { onError })
  const measure = () => reporter.set({ ...readSensor(sn, new Date()), ...set })

  const controlled = new ControlledDevice(device, way, { store, commands, onError, onEnded: onError })
    .onCommand('set_point', async ({ celsius, mode = set.mode }) => {
      // What the device will not do: reported as `rejected`, with this sentence.
      if (mode === 'eco' && celsius > 25) throw new CommandRejected('In eco mode it heats up to 25 °C.')
      Object.assign(set, { set_point: celsius, mode })
      measure()
      log(`heats to ${celsius} °C`)
      // What is returned is the result, reported as `done`.
      return { ...set }
    })
    .onCommand('self_test', async (_, { progress }) => {
      for (const part of ['sensor', 'valve', 'radio']) {
        // Whoever waits sees it, and the command's timeout begins anew.
        await progress(`Testing the ${part}`)
        await wait(stepMs / 5)
      }
      log('tested itself')
      return { passed: true }
    })
    .onCommand(
      'reboot',
      async () => {
        log('restarts')
        reporter.set({}, 'offline')
        await wait(stepMs)
        reporter.set({}, 'online')
        return { restarted: true }
      },
      // A device that really restarts ends this process: the next one says that it is back. Without `resume` a command that
      // was interrupted is reported as `failed`.
      { resume: async () => ({ restarted: true }) },
    )
    .onSettings(async (values, { version }) => {
      // Always all of them. What is not applied is returned with its reason, and reported as `rejected`.
      const { set_point = set.set_point, mode = set.mode, ...others } = values
      Object.assign(set, { set_point, mode })
      measure()
      log(`has settings of version ${version}`)
      return Object.fromEntries(Object.keys(others).map((key) => [key, { unsupported: true }]))
    })
  await controlled.start()
  measure()
  return { controlled, reporter, timer: setInterval(measure, stepMs) }
}

/** A device registers once in its life, so its key is stored before anything is sent with it. */
async function registerOnce(sn, mac) {
  const file = join(folder, `${sn}.json`)
  const stored = await readFile(file, 'utf8').catch(() => null)
  if (stored !== null) return JSON.parse(stored)
  const device = await model.register({ mac, sn, firmware_version: '3.1.0' })
  await writeFile(`${file}.new`, JSON.stringify(device), { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
  return device
}
