// Devices over MQTT: one connection per device, which tells the service at once when a device vanishes.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DeviceModel, DeviceRemoved, DeviceReporter } from '@landbridge/client'
import { MqttSender } from '@landbridge/client/mqtt'
import { labCertificate, modelSettings } from '../lab.js'
import { readSensor } from '../sensors.js'

const folder = process.env.FLEET_DATA || join(import.meta.dirname, 'data')
const serials = ['MQ-0001', 'MQ-0002', 'MQ-0003']

const model = new DeviceModel(await modelSettings())
await mkdir(folder, { recursive: true, mode: 0o700 })
const devices = await Promise.all(serials.map((sn, index) => registerOnce(sn, `02:00:5e:30:00:0${index}`)))
const ca = process.env.MQTT_CA
  ? await readFile(process.env.MQTT_CA, 'utf8')
  : await labCertificate(devices[0].mqtt_hub_url)
// Resolves with the acknowledgement, which comes after the commit. A lost connection is made again by the next message.
const mqtt = new MqttSender(ca === undefined ? {} : { ca })

const reporters = devices.map((device, index) => {
  const reporter = new DeviceReporter(device, mqtt.send, {
    onError: (error) => {
      // Not retried here: the reporter sends the newest state with its next message, which is all that matters for a state.
      console.error(`${serials[index]}: ${error.message}`)
      if (error instanceof DeviceRemoved) void reporter.stop()
    },
  })
  const measure = () => reporter.set(readSensor(serials[index], new Date()))
  measure()
  setInterval(measure, Number(process.env.FLEET_EVERY_MS || 5_000)).unref()
  return reporter
})

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    for (const reporter of reporters) await reporter.stop()
    // A goodbye: without it the service would tell these devices offline.
    await mqtt.close()
  })
}
console.log(`${devices.length} devices report to ${devices[0].mqtt_hub_url}. Stop with Ctrl-C.`)

/** A device registers once in its life, so its key is stored before anything is sent with it. */
async function registerOnce(sn, mac) {
  const file = join(folder, `${sn}.json`)
  const stored = await readFile(file, 'utf8').catch(() => null)
  if (stored !== null) return JSON.parse(stored)
  const device = await model.register({ mac, sn, firmware_version: '2.0.1' })
  // Half a key would be none: the name is there only when the file is whole.
  await writeFile(`${file}.new`, JSON.stringify(device), { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
  return device
}
