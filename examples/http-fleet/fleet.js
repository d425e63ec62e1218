// A partner's cloud that forwards what its devices report, in mass calls. Kill it at any time: the keys of the devices and the
// messages on their way are in files, and the next start goes on with them.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DeviceModel, DeviceReporter, TelemetryOutbox } from '@landbridge/client'
import { fileQueue } from '@landbridge/client/file'
import { modelSettings } from '../lab.js'
import { readSensor } from '../sensors.js'

const folder = process.env.FLEET_DATA || join(import.meta.dirname, 'data')
const serials = ['TH-0001', 'TH-0002', 'TH-0003', 'TH-0004', 'TH-0005']

const model = new DeviceModel(await modelSettings())
await mkdir(folder, { recursive: true, mode: 0o700 })
const outbox = new TelemetryOutbox(model, {
  queue: await fileQueue(join(folder, 'outbox')),
  // The customer or you removed it: its key is of no use any more.
  onRemoved: (id) => console.log(`${id} was removed. Its messages are no longer sent.`),
  // It would be refused again: look at it rather than send it again.
  onRefused: ({ id, code, error }) => console.error(`A message of ${id} was refused: ${code}: ${error}`),
  onError: (error) => console.error(`The service is away, messages wait: ${error.message}`),
})

const reporters = []
for (const [index, sn] of serials.entries()) {
  const device = await registerOnce(sn, `02:00:5e:20:00:0${index}`)
  // Reports when something changed, and otherwise every 30 to 60 seconds, so that silence means "offline".
  const reporter = new DeviceReporter(device, (to, telemetry) => outbox.add(to, telemetry))
  reporters.push(reporter)
  const measure = () => reporter.set(readSensor(sn, new Date()))
  measure()
  setInterval(measure, Number(process.env.FLEET_EVERY_MS || 5_000)).unref()
}
const timer = setInterval(() => console.log(`${outbox.waiting} messages wait.`), 60_000)

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    clearInterval(timer)
    for (const reporter of reporters) await reporter.stop()
    // What is not delivered by now stays in the queue.
    await Promise.race([outbox.flushed(), new Promise((resolve) => setTimeout(resolve, 5_000).unref())])
    await outbox.stop()
  })
}
console.log(`${serials.length} devices report to ${model.options.entryUrl}. Stop with Ctrl-C.`)

/** A device registers once in its life, so its key is stored before anything is sent with it. */
async function registerOnce(sn, mac) {
  const file = join(folder, `${sn}.json`)
  const stored = await readFile(file, 'utf8').catch(() => null)
  if (stored !== null) return JSON.parse(stored)
  const device = await model.register({ mac, sn, firmware_version: '1.4.2' })
  await writeFile(`${file}.new`, JSON.stringify(device), { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
  return device
}
