// The MQTT client of most Python devices: Debian's python3-paho-mqtt.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'
import { staticCertificate } from '../../server/src/platform/tls/static-certificate.ts'
import { queueCommand } from '../support/commands.ts'
import { newModel, register } from '../support/devices.ts'
import { startHarness } from '../support/harness.ts'
import { type Credentials, startListener } from '../support/mqtt.ts'
import { until } from '../support/until.ts'

const service = await startHarness()
const tls = await staticCertificate(service.context)
const { port } = await startListener(service.context, tls)
const model = await newModel(service)
const folder = await mkdtemp(join(tmpdir(), 'landbridge-paho-'))
const certificate = join(folder, 'static.pem')
await writeFile(certificate, tls.certificate)
after(() => rm(folder, { recursive: true }))
const program = fileURLToPath(new URL('paho/device.py', import.meta.url))
const reading = JSON.stringify({ status: 'online', telemetries: { temperature: 21.5 } })

interface Report {
  event: 'connected' | 'subscribed' | 'command' | 'queued' | 'published' | 'disconnected'
  code: number | null
  message?: number
  /** Of a command, with how it came. */
  command?: { id: string; name: string; parameters: object; attempt: number }
  topic?: string
  qos?: number
  retain?: boolean
}

/** A running device.py. */
class Paho {
  readonly id: string
  readonly reports: Report[] = []
  readonly #child: ChildProcess
  #said = ''

  constructor(version: string, { id, access_key }: Credentials, { at = port, commands = false } = {}) {
    this.id = id
    const given = JSON.stringify({ version, id, access_key, certificate, port: at, commands })
    // Debian's own, whatever comes first in the path: it has Debian's packages.
    this.#child = spawn('/usr/bin/python3', [program, given])
    after(() => this.#child.kill('SIGKILL'))
    createInterface({ input: this.#child.stdout! }).on('line', (line) => this.reports.push(JSON.parse(line)))
    this.#child.stderr!.on('data', (text) => {
      this.#said += text
    })
  }

  publish(qos: 0 | 1, payload = reading, topic = `v1/devices/${this.id}/telemetry`): void {
    this.#child.stdin!.write(`${JSON.stringify({ topic, payload, qos })}\n`)
  }

  count(event: Report['event']): number {
    return this.reports.filter((report) => report.event === event).length
  }

  /** The code of the first report of this kind, or of a later one. */
  async first(event: Report['event'], nth = 1): Promise<number | null> {
    await until(() => {
      assert.equal(this.#child.exitCode, null, this.#said)
      return this.count(event) >= nth
    }, event)
    return this.reports.filter((report) => report.event === event)[nth - 1]!.code
  }

  /** Lets it disconnect by itself. */
  async end(): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.stdin!.end()
    assert.deepEqual(await exited, [0, null], this.#said)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}

async function stored(id: string): Promise<number> {
  const [row] = await service.sql<{ count: number }[]>`
    select count(*)::int as count from history join devices on number = device_number where id = ${id}`
  return row!.count
}

/** By version: the codes of docs/mqtt.md ("Refusals"). */
const refusals = {
  '3.1.1': { wrongKey: 4, removed: 5 },
  '5': { wrongKey: 0x86, removed: 0x87 },
}

for (const [version, codes] of Object.entries(refusals)) {
  describe(`docs/mqtt.md: paho with version ${version}, which trusts the static certificate`, () => {
    it('QoS 0 and QoS 1 are stored, and QoS 1 is acknowledged once it is', async () => {
      const device = await register(service, model)
      const paho = new Paho(version, device)
      assert.equal(await paho.first('connected'), 0)
      for (let n = 1; n <= 20; n += 1) paho.publish(1, reading.replace('21.5', String(n)))
      await paho.first('published', 20)
      assert.equal(await stored(device.id), 20)
      paho.publish(0)
      await until(async () => (await stored(device.id)) === 21, 'the message of QoS 0')
      await paho.end()
      assert.equal(paho.reports.findLast(({ event }) => event === 'disconnected')?.code ?? 0, 0)
    })

    it('a wrong access_key and a removed device get their codes', async () => {
      const device = await register(service, model)
      const { access_key } = await register(service, model)
      const wrong = new Paho(version, { ...device, access_key })
      assert.equal(await wrong.first('connected'), codes.wrongKey)
      wrong.kill()
      await service.sql`update device_states set removed_at = now() where device_id = ${device.id}`
      const removed = new Paho(version, device)
      assert.equal(await removed.first('connected'), codes.removed)
      removed.kill()
    })

    it('malformed telemetry and another device’s topic are not stored', async () => {
      const [device, other] = [await register(service, model), await register(service, model)]
      for (const [payload, topic] of [['nonsense'], [reading, `v1/devices/${other.id}/telemetry`]] as const) {
        const paho = new Paho(version, device)
        await paho.first('connected')
        paho.publish(1, payload, topic)
        // 3.1.1 knows no refusal of a message: the connection closes. 5 refuses the message and goes on.
        await (version === '5' ? paho.first('published') : paho.first('disconnected'))
        assert.equal(paho.count('disconnected') > 0, version !== '5')
        paho.kill()
      }
      assert.deepEqual([await stored(device.id), await stored(other.id)], [0, 0])
    })

    it('a listener that restarts: paho connects again, and what it queued meanwhile is stored once', async () => {
      const device = await register(service, model)
      const before = await startListener(service.context, tls)
      const paho = new Paho(version, device, { at: before.port })
      await paho.first('connected')
      paho.publish(1)
      await paho.first('published')
      await before.close()
      await paho.first('disconnected')
      paho.publish(1, reading.replace('21.5', '22'))
      await paho.first('queued', 2)
      await startListener(service.context, tls, before.port)
      assert.equal(await paho.first('connected', 2), 0)
      await paho.first('published', 2)
      assert.equal(await stored(device.id), 2)
      await paho.end()
    })

    it('a command comes with the SUBACK, the next once it is reported, and their reports are kept', async () => {
      const device = await register(service, model)
      const { partner_id } = model
      const customer_id = newId()
      await service.sql`
        insert into customers (id, partner_id, name, created_at) values (${customer_id}, ${partner_id}, 'Acme', now())`
      const queue = (parameters: object) =>
        queueCommand(service.sql, { device_id: device.id, partner_id, customer_id, parameters: { ...parameters } })
      const ids = [await queue({ delay: 3 }), await queue({ delay: 4 })]
      const paho = new Paho(version, device, { commands: true })
      assert.equal(await paho.first('subscribed'), 1)
      await paho.first('command', 2)
      const topic = `v1/devices/${device.id}/command`
      const came = paho.reports.filter(({ event }) => event === 'command')
      assert.deepEqual(
        came.map(({ command, ...how }) => [command!.id, command!.name, command!.parameters, command!.attempt, how]),
        ids.map((id, index) => {
          const how = { event: 'command', code: null, topic, qos: 1, retain: false }
          return [id, 'reboot', { delay: 3 + index }, 1, how]
        }),
      )
      await paho.first('published', 2)
      const rows = await service.sql`
        select id, state, message, result, attempts, delivered_at is not null as delivered from device_commands
        where device_id = ${device.id} order by number`
      const done = { state: 'done', message: 'Restarted', result: { was: 'reboot' }, attempts: 1, delivered: true }
      assert.deepEqual(
        rows.map((row) => ({ ...row })),
        ids.map((id) => ({ id, ...done })),
      )
      await paho.end()
    })

    it('a device whose process ends without a word is offline', async () => {
      const device = await register(service, model)
      const paho = new Paho(version, device)
      await paho.first('connected')
      paho.publish(1)
      await paho.first('published')
      paho.kill()
      await until(async () => {
        const [row] = await service.sql`select status from device_states where device_id = ${device.id}`
        return row?.status === 'offline'
      }, 'offline')
    })
  })
}
