// Two hub cells, each a process of its own, on one database: the partner kit follows its devices from one to the other.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, describe, it } from 'node:test'
import { connect } from 'node:tls'
import { DeviceModel, TelemetryOutbox } from '../client/src/index.ts'
import { MqttSender } from '../client/src/mqtt.ts'
import { openDatabase } from '../server/src/platform/database/database.ts'
import { password } from './support/applications.ts'
import { operatorAt } from './support/calls.ts'
import { createDatabase } from './support/database.ts'
import { newMac } from './support/devices.ts'
import { Browser } from './support/form-browser.ts'
import { onDatabase, startService } from './support/service.ts'
import { until } from './support/until.ts'

const databaseUrl = await createDatabase()
const sql = openDatabase({ url: databaseUrl, max: 2 })
const startCell = (cell: string) => startService({ env: { ...onDatabase(databaseUrl), LANDBRIDGE_CELL: cell } })
const a = await startCell('a')
let b = await startCell('b')
after(async () => {
  await Promise.all([a.stop(), b.stop()])
  await sql.end({ timeout: 1 })
})

const admin = { name: 'Ada', email: 'ada@example.com', password }
const created = await operatorAt(a.ready.public_url, 'POST', '/partners', { name: 'Acme', portal_domain: null, admin })
assert.equal(created.status, 201)
const browser = new Browser('network', { host: new URL(a.ready.public_url).host })
await browser.signIn(admin)
const { host: _, ...session } = browser.headers
const modelResponse = await fetch(`${a.ready.public_url}/core/v1/partner/models`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', ...session },
  body: JSON.stringify({ name: 'Sensor', authentication_method: 'MAC & Serial Number' }),
})
const model = (await modelResponse.json()) as { id: string; hardware_key: string }

const moved = new Map<string, string>()
const kit = new DeviceModel({
  entryUrl: a.ready.entry_url,
  modelId: model.id,
  hardwareKey: model.hardware_key,
  backoff: { attempts: 20, firstDelayMs: 50, longestDelayMs: 500 },
  onMoved: (id, { hub_url }) => moved.set(id, hub_url),
})
const newDevice = () => kit.register({ mac: newMac(), sn: newMac(), firmware_version: '1.0.0' })
const reading = (n: number) => ({ status: 'online' as const, telemetries: { n } })

async function cells(path: string, body: object): Promise<void> {
  const { status, body: result } = await operatorAt(a.ready.public_url, 'POST', `/hub-cells/${path}`, body)
  assert.equal(status, 200, JSON.stringify(result))
}

/** The values that are stored, in order, with repeats. */
async function storedOf({ id }: { id: string }): Promise<number[]> {
  const rows = await sql<{ n: number }[]>`
    select (telemetries ->> 'n')::int as n from history join devices on number = device_number
    where id = ${id} order by n`
  return rows.map(({ n }) => n)
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

describe('two hub cells on one database', () => {
  it('the first has every device; with even shares both hand out the address of the device’s cell', async () => {
    const first = await newDevice()
    assert.equal(first.hub_url, a.ready.hub_url)
    await cells('rebalance', { redirect_over_seconds: 0 })
    const devices = await Promise.all(numbers(24).map(newDevice))
    const hubs = devices.map(({ hub_url, mqtt_hub_url }) => `${hub_url} ${mqtt_hub_url}`)
    const expected = [a, b].map(({ ready }) => `${ready.hub_url} ${ready.mqtt_url}`)
    assert.deepEqual([...new Set(hubs)].toSorted(), expected.toSorted())
  })

  it('moved under load over HTTP: the kit follows, and every message is stored once', async () => {
    const devices = await Promise.all(numbers(20).map(newDevice))
    const errors: unknown[] = []
    const outbox = new TelemetryOutbox(kit, { onError: (error) => errors.push(error) })
    for (const n of numbers(60)) {
      for (const device of devices) await outbox.add(device, reading(n))
      if (n === 20) await cells('a/drain', { redirect_over_seconds: 0 })
      if (n === 40) await cells('a/open', {})
      if (n === 41) await cells('rebalance', { redirect_over_seconds: 0 })
    }
    await outbox.flushed()
    assert.deepEqual(errors, [])
    for (const device of devices) assert.deepEqual(await storedOf(device), numbers(60))
    // Those of cell a had to follow.
    assert.ok(moved.size > 0)
  })

  it('moved while connected over MQTT: the kit follows, and every message is stored once', async () => {
    const { port, hostname } = new URL(a.ready.mqtt_url)
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const { raw } = socket.getPeerCertificate()
    socket.destroy()
    const ca = `-----BEGIN CERTIFICATE-----\n${raw.toString('base64').replaceAll(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`
    const stored: string[] = []
    const sender = new MqttSender({ ca, onMoved: (_id, { mqtt_hub_url }) => stored.push(mqtt_hub_url) })
    after(() => sender.close())
    await cells('a/move', { buckets: 512, from_cell: 'b', redirect_over_seconds: 0 })
    const device = await newDevice()
    assert.equal(device.mqtt_hub_url, a.ready.mqtt_url)
    let n = 0
    await sender.send(device, reading(n))
    await cells('b/move', { buckets: 1_024, from_cell: 'a', redirect_over_seconds: 0 })
    await until(async () => {
      n += 1
      await sender.send(device, reading(n))
      return stored.length > 0
    }, 'the device connects to cell b')
    assert.deepEqual(stored, [b.ready.mqtt_url])
    assert.deepEqual(await storedOf(device), numbers(n + 1))
  })

  it('a cell killed in the middle of a move: nothing that was acknowledged is lost, and the rest arrives later', async () => {
    const devices = await Promise.all(numbers(10).map(newDevice))
    const outbox = new TelemetryOutbox(kit)
    for (const n of numbers(10)) for (const device of devices) await outbox.add(device, reading(n))
    await outbox.flushed()
    const moving = cells('a/move', { buckets: 1_024, from_cell: 'b', redirect_over_seconds: 0 })
    for (const n of numbers(10)) for (const device of devices) await outbox.add(device, reading(10 + n))
    await b.kill()
    await moving
    const { port } = new URL(b.ready.public_url)
    const [mqttPort, staticPort] = [new URL(b.ready.mqtt_url).port, new URL(b.ready.static_cert_url).port]
    b = await startService({
      env: {
        ...onDatabase(databaseUrl),
        LANDBRIDGE_CELL: 'b',
        PORT: port,
        LANDBRIDGE_MQTTS_PORT: mqttPort,
        LANDBRIDGE_STATIC_CERT_PORT: staticPort,
      },
    })
    await outbox.flushed()
    for (const device of devices) {
      assert.deepEqual(await storedOf(device), numbers(20))
      assert.equal(moved.get(device.id), a.ready.hub_url)
    }
  })
})
