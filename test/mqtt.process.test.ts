// Devices over MQTT and the static certificate, on real processes that share one database.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:https'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import mqtt from 'mqtt'
import type { Packet } from 'mqtt-packet'
import { openDatabase } from '../server/src/platform/database/database.ts'
import { digest, mintSecret } from '../server/src/platform/secrets/secrets.ts'
import { password } from './support/applications.ts'
import { operatorAt } from './support/calls.ts'
import { createDatabase } from './support/database.ts'
import { registration } from './support/devices.ts'
import { Browser } from './support/form-browser.ts'
import { WireDevice } from './support/mqtt.ts'
import { onDatabase, startService } from './support/service.ts'
import { until } from './support/until.ts'

const databaseUrl = await createDatabase()
const env = onDatabase(databaseUrl)
const sql = openDatabase({ url: databaseUrl, max: 2 })

interface Device {
  id: string
  access_key: string
  hub_url: string
  hub_url_static_cert: string
  mqtt_hub_url: string
}

/** The last one is killed during the tests. */
const [here, there, killed] = await Promise.all([startService({ env }), startService({ env }), startService({ env })])
after(async () => {
  await Promise.all([here.stop(), there.stop()])
  await sql.end({ timeout: 1 })
})
const admin = { name: 'Ada', email: 'ada@example.com', password }
const partner = await operatorAt(here.ready.public_url, 'POST', '/partners', {
  name: 'Acme',
  portal_domain: null,
  admin,
})
assert.equal(partner.status, 201)
const model = await newModel()

async function call(url: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the service returned
  const result = (await response.json()) as any
  assert.ok(response.ok, JSON.stringify(result))
  return result
}

/** The operator API has no models: the partner's own API creates them, with the partner's session. */
async function newModel(): Promise<{ id: string; hardware_key: string }> {
  const browser = new Browser('network', { host: new URL(here.ready.public_url).host })
  await browser.signIn(admin)
  const { host: _, ...headers } = browser.headers
  const body = { name: 'Sensor', authentication_method: 'MAC & Serial Number', offline_after_seconds: 10 }
  return await call(`${here.ready.public_url}/core/v1/partner/models`, body, headers)
}

async function registerDevice(service = here): Promise<Device> {
  return await call(`${service.ready.entry_url}/v1/devices`, registration(model))
}

async function statusOf({ id }: Device): Promise<string> {
  const [row] = await sql<{ status: string }[]>`select status from devices where id = ${id}`
  return row!.status
}

function connect(url: string, { id, access_key }: Device, options: mqtt.IClientOptions = {}) {
  return mqtt.connectAsync(url, {
    clientId: id,
    username: id,
    password: access_key,
    rejectUnauthorized: false,
    reconnectPeriod: 0,
    ...options,
  })
}

const topic = ({ id }: Device) => `v1/devices/${id}/telemetry`
const online = JSON.stringify({ status: 'online', telemetries: { temperature: 21 } })

describe('2.5 mqtt_hub_url: mqtt.js as a device', () => {
  for (const protocolVersion of [4, 5] as const) {
    it(`version ${protocolVersion}: registers, connects to mqtt_hub_url, publishes, and is taken over on another process`, async () => {
      const device = await registerDevice()
      const client = await connect(device.mqtt_hub_url, device, { protocolVersion })
      await client.publishAsync(topic(device), online, { qos: 1 })
      assert.equal(await statusOf(device), 'online')
      const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
      const second = await connect(there.ready.mqtt_url, device, { protocolVersion })
      await closed
      await second.publishAsync(topic(device), online, { qos: 1 })
      await second.endAsync()
      assert.equal(await statusOf(device), 'online')
    })

    it(`version ${protocolVersion}: a wrong key is refused`, async () => {
      const device = await registerDevice()
      const wrong = { ...device, access_key: (await registerDevice()).access_key }
      await assert.rejects(connect(here.ready.mqtt_url, wrong, { protocolVersion }), {
        code: protocolVersion === 5 ? 0x86 : 4,
      })
    })
  }

  it('version 5: five hundred messages at once, which mqtt.js sends whatever the receive maximum is, are each stored once', async () => {
    const device = await registerDevice()
    const client = await connect(here.ready.mqtt_url, device, { protocolVersion: 5 })
    let closed = false
    client.once('close', () => {
      closed = true
    })
    const counts = Array.from({ length: 500 }, (_, count) =>
      JSON.stringify({ status: 'online', telemetries: { count } }),
    )
    await Promise.all(counts.map((payload) => client.publishAsync(topic(device), payload, { qos: 1 })))
    assert.equal(closed, false)
    await client.endAsync()
    const [row] = await sql<{ count: number; distinct: number }[]>`
      select count(*)::int as count, count(distinct telemetries ->> 'count')::int as distinct
      from history join devices on number = device_number where id = ${device.id}`
    assert.deepEqual({ ...row }, { count: 500, distinct: 500 })
  })

  it('version 5: a PUBACK has the reason a message was refused', async () => {
    const device = await registerDevice()
    const client = await connect(here.ready.mqtt_url, device, { protocolVersion: 5 })
    const payload = JSON.stringify({ status: 'online', telemetries: { door: [] } })
    await assert.rejects(client.publishAsync(topic(device), payload, { qos: 1 }), { code: 0x99 })
    await client.publishAsync(topic(device), online, { qos: 1 })
    await client.endAsync()
  })
})

describe('decision 7.10: offline', () => {
  it('within a second of the deadline and never before, by processes the device never connected to', async () => {
    const devices = await Promise.all(Array.from({ length: 5 }, () => registerDevice(killed)))
    for (const device of devices) {
      const client = await connect(killed.ready.mqtt_url, device)
      await client.publishAsync(topic(device), online, { qos: 1 })
      await client.endAsync()
      // Apart from each other, so that one pause of the machine does not delay all of them.
      await sleep(300)
    }
    // The process they were connected to is gone: another must set them offline.
    await killed.kill()
    const late = await Promise.all(devices.map(untilOffline))
    assert.ok(Math.min(...late) > -50, `${late} ms after the deadline`)
    // On a noisy machine the best of several is what the service itself takes.
    assert.ok(Math.min(...late) < 1_000, `${late} ms after the deadline`)
  })

  /** Milliseconds from the deadline until the status changed. */
  async function untilOffline(device: Device): Promise<number> {
    const [row] = await sql<{ seen_at: Date }[]>`select seen_at from device_states where device_id = ${device.id}`
    await until(async () => (await statusOf(device)) === 'offline', 'offline', 60)
    return Date.now() - row!.seen_at.getTime() - 10_000
  }
})

describe('2.5 hub_url_static_cert', () => {
  const post = async (url: string, body: object, headers: Record<string, string>) => {
    const outgoing = request(url, {
      method: 'POST',
      rejectUnauthorized: false,
      agent: false,
      headers: { 'content-type': 'application/json', ...headers },
    })
    outgoing.end(JSON.stringify(body))
    const [response] = await once(outgoing, 'response')
    const { raw } = (response.socket as TLSSocket).getPeerCertificate()
    let text = ''
    for await (const chunk of response) text += chunk
    return { status: response.statusCode, body: JSON.parse(text), pin: createHash('sha256').update(raw).digest('hex') }
  }

  it('responds like the hub, with one certificate on every process and after restarts', async () => {
    const device = await registerDevice()
    const path = `/v1/devices/${device.id}/telemetry`
    const authorization = device.access_key
    const pins = new Set<string>()
    for (const service of [here, there]) {
      const sent = await post(service.ready.static_cert_url + path, JSON.parse(online), { authorization })
      assert.deepEqual([sent.status, sent.body], [200, { success: true }])
      pins.add(sent.pin)
    }
    const mass = { devices: [{ id: device.id, access_key: authorization, ...JSON.parse(online) }] }
    const { body } = await post(`${device.hub_url_static_cert}/v1/devices/telemetry`, mass, {})
    assert.equal(body.results[0].status, 200)
    const fresh = await startService({ env })
    const again = await post(fresh.ready.static_cert_url + path, JSON.parse(online), { authorization })
    pins.add(again.pin)
    assert.equal(pins.size, 1)
    assert.equal((await post(`${there.ready.static_cert_url}/core/v1/operator/partners`, {}, {})).status, 404)
  })
})

describe('many connections', () => {
  it('2,000 MQTT connections at once on one process, each of which publishes', { timeout: 180_000 }, async () => {
    const [{ partner_id } = { partner_id: '' }] = await sql<
      { partner_id: string }[]
    >`select partner_id from models where id = ${model.id}`
    const keys = Array.from({ length: 2_000 }, () => mintSecret('device_key'))
    const digests = keys.map((key) => digest(key).toString('hex'))
    const rows = await sql<{ id: string; n: number }[]>`
      with created as (
        insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, status_at)
        select gen_random_uuid(), ${partner_id}, ${model.id}, 'm' || n, 's' || n, '1.0.0', now(), now()
        from generate_series(1, 2000) n returning id, number, substr(mac, 2)::int as n
      ), states as (
        insert into device_states (bucket, device_id, number, key_digest)
        select device_bucket(id), id, number, decode((${digests}::text[])[n], 'hex') from created
      )
      select id, n from created`
    const { port } = new URL(there.ready.mqtt_url)
    const devices = rows.map(({ id, n }) => {
      let wire: WireDevice | undefined
      return {
        id,
        access_key: keys[n - 1]!,
        get wire() {
          wire ??= new WireDevice(Number(port), 5)
          return wire
        },
      }
    })
    try {
      const connacks: (Packet | 'closed')[] = []
      // All open at once, but a hundred handshakes at a time.
      for (let from = 0; from < devices.length; from += 100) {
        const wave = devices.slice(from, from + 100).map(({ id, access_key, wire }) => wire.connect({ id, access_key }))
        connacks.push(...(await Promise.all(wave)))
      }
      assert.equal(connacks.filter((packet) => packet !== 'closed' && packet.cmd === 'connack').length, 2_000)
      for (const { id, wire } of devices) wire.publish({ id }, online)
      const pubacks = await Promise.all(devices.map(({ wire }) => wire.next(60)))
      assert.ok(pubacks.every((packet) => packet !== 'closed' && packet.cmd === 'puback'))
      const [row] = await sql`select count(*)::int as count from device_states where status = 'online' and number in (
        select number from devices where mac like 'm%')`
      assert.equal(row!.count, 2_000)
      const isListed = async () => {
        const [listed] = await sql`select count(*)::int as count from devices where status = 'online' and mac like 'm%'`
        return listed!.count === 2_000
      }
      await until(isListed, 'lists have their statuses')
      assert.ok(devices.every(({ wire }) => !wire.socket.destroyed))
    } finally {
      for (const { wire } of devices) wire.socket.destroy()
    }
  })
})
