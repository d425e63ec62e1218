// A device we did not write: mosquitto_pub and mosquitto_sub, from Debian's mosquitto-clients.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'
import { staticCertificate } from '../../server/src/platform/tls/static-certificate.ts'
import { queueCommand } from '../support/commands.ts'
import { newModel, register } from '../support/devices.ts'
import { startHarness } from '../support/harness.ts'
import { startListener } from '../support/mqtt.ts'
import { until } from '../support/until.ts'

const service = await startHarness()
const tls = await staticCertificate(service.context)
const { port } = await startListener(service.context, tls)
const model = await newModel(service)
const folder = await mkdtemp(join(tmpdir(), 'landbridge-mosquitto-'))
const pinned = join(folder, 'static.pem')
await writeFile(pinned, tls.certificate)
after(() => rm(folder, { recursive: true }))

interface Device {
  id: string
  access_key: string
}

async function publish(version: string, device: Device, more: string[]): Promise<{ code: number; said: string }> {
  return await run('mosquitto_pub', version, device, ['-t', `v1/devices/${device.id}/telemetry`, ...more])
}

async function run(
  program: 'mosquitto_pub' | 'mosquitto_sub',
  version: string,
  { id, access_key }: Device,
  more: string[],
): Promise<{ code: number; said: string }> {
  const connection = ['-h', 'localhost', '-p', String(port), '--cafile', pinned, '-V', version]
  const credentials = ['-i', id, '-u', id, '-P', access_key]
  return await new Promise((resolve) => {
    execFile(program, [...connection, ...credentials, ...more], { timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, said: `${stdout}${stderr}` }),
    )
  })
}

async function stored({ id }: Device): Promise<number> {
  const [row] = await service.sql<{ count: number }[]>`
    select count(*)::int as count from history join devices on number = device_number where id = ${id}`
  return row!.count
}

const message = JSON.stringify({ status: 'online', telemetries: { temperature: 21.5 } })

describe('decision 7.20: mosquitto_pub as a device that trusts the static certificate', () => {
  for (const version of ['311', '5']) {
    for (const qos of ['0', '1']) {
      it(`version ${version}: QoS ${qos} is stored`, async () => {
        const device = await register(service, model)
        const { code, said } = await publish(version, device, ['-q', qos, '-m', message])
        assert.equal(code, 0, said)
        // At QoS 0 the publisher does not wait, so we do.
        await until(async () => (await stored(device)) > 0, 'stored')
        assert.equal(await stored(device), 1)
      })
    }

    it(`version ${version}: a hundred messages over one connection`, async () => {
      const device = await register(service, model)
      const { code, said } = await publish(version, device, ['-q', '1', '-m', message, '--repeat', '100'])
      assert.equal(code, 0, said)
      assert.equal(await stored(device), 100)
    })

    it(`version ${version}: a wrong access_key and a removed device are refused`, async () => {
      const device = await register(service, model)
      const other = await register(service, model)
      assert.notEqual(
        (await publish(version, { ...device, access_key: other.access_key }, ['-q', '1', '-m', message])).code,
        0,
      )
      await service.sql`update device_states set removed_at = now() where device_id = ${device.id}`
      assert.notEqual((await publish(version, device, ['-q', '1', '-m', message])).code, 0)
      assert.equal(await stored(device), 0)
    })
  }

  it('version 5: malformed telemetry is refused with 0x99', async () => {
    const device = await register(service, model)
    const { said } = await publish('5', device, ['-q', '1', '-m', 'nonsense', '-d'])
    assert.match(said, /RC:153/)
    assert.equal(await stored(device), 0)
  })
})

describe('decision 7.87: mosquitto_sub as a device that is sent commands', () => {
  for (const version of ['311', '5']) {
    it(`version ${version}: gets the one that waits, and reports it with mosquitto_pub`, async () => {
      const device = await register(service, model)
      const owner = { device_id: device.id, partner_id: model.partner_id, customer_id: newId() }
      const command = await queueCommand(service.sql, { ...owner, name: 'reboot', parameters: { delay: 3 } })
      const topic = `v1/devices/${device.id}/command`
      const { code, said } = await run('mosquitto_sub', version, device, [
        '-q',
        '1',
        '-C',
        '1',
        '-W',
        '50',
        '-t',
        topic,
      ])
      assert.equal(code, 0, said)
      const got = JSON.parse(said)
      assert.deepEqual([got.id, got.name, got.parameters], [command, 'reboot', { delay: 3 }])
      const body = JSON.stringify({ status: 'done', result: { up: true } })
      const report = ['-q', '1', '-t', `${topic}/${command}`, '-m', body]
      assert.equal((await run('mosquitto_pub', version, device, report)).code, 0)
      const [row] = await service.sql`select state, result, delivered_at from device_commands where id = ${command}`
      assert.deepEqual([row!.state, row!.result, row!.delivered_at !== null], ['done', { up: true }, true])
    })
  }
})
