// A device we did not write: mosquitto_pub, from Debian's mosquitto-clients.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { staticCertificate } from '../../server/src/platform/tls/static-certificate.ts'
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

async function publish(
  version: string,
  { id, access_key }: Device,
  more: string[],
): Promise<{ code: number; said: string }> {
  const connection = ['-h', 'localhost', '-p', String(port), '--cafile', pinned, '-V', version]
  const credentials = ['-i', id, '-u', id, '-P', access_key, '-t', `v1/devices/${id}/telemetry`]
  return await new Promise((resolve) => {
    execFile('mosquitto_pub', [...connection, ...credentials, ...more], { timeout: 60_000 }, (error, stdout, stderr) =>
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
