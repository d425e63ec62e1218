// A real disk that fills up: telemetry is refused before Postgres meets the end of it, and accepted again afterwards.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { operatorAt } from '../support/calls.ts'
import { operatorKey } from '../support/keys.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const folder = await mkdtemp(join(tmpdir(), 'landbridge-disk-'))
const mounted = mount()
after(async () => {
  if (mounted) execFileSync('umount', ['--lazy', folder])
  await rm(folder, { recursive: true, force: true })
})

function mount(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=500m,mode=755', 'none', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe('a disk that is full', () => {
  const skip = mounted ? false : 'this machine permits no mounts'
  it('stops telemetry alone, says so once in the log, and telemetry comes back with the room', { skip }, async () => {
    const dataDir = join(folder, 'data')
    const service = await startService({
      env: {
        ...{ LANDBRIDGE_DATA_DIR: dataDir, LANDBRIDGE_LAB: 'true', LANDBRIDGE_MIN_FREE_MB: '100' },
        LANDBRIDGE_OPERATOR_KEY: operatorKey,
      },
    })
    const url = service.ready.public_url
    const lab = JSON.parse(await readFile(join(dataDir, 'lab.json'), 'utf8'))
    const registered = await fetch(`${url}/v1/devices`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ device_model: lab.model_id, hardware_key: lab.hardware_key },
        ...{ mac: '02:00:00:00:00:09', sn: 'SN-9', firmware_version: '1.0.0' },
      }),
    })
    const device = (await registered.json()) as { id: string; access_key: string }
    const send = async () => {
      const response = await fetch(`${url}/v1/devices/${device.id}/telemetry`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: device.access_key },
        body: JSON.stringify({ status: 'online', telemetries: { temperature: 21.5 } }),
      })
      const body = (await response.json()) as { code?: string }
      return body.code ?? response.status
    }
    assert.equal(await send(), 200)

    const filler = join(folder, 'filler')
    const { bavail, bsize } = await statfs(folder)
    await writeFile(filler, Buffer.alloc(bavail * bsize - 60 * 1_048_576))
    await until(async () => (await send()) === 'storage_full', 'telemetry refused')
    for (let call = 0; call < 300; call += 1) await send()
    assert.equal((await operatorAt(url, 'GET', '/partners')).status, 200)
    assert.equal((await fetch(`${url}/readyz`)).status, 200)
    const faults = service
      .output()
      .split('\n')
      .filter((line) => /"level":(50|60)/.test(line))
    assert.deepEqual(
      faults.map((line) => JSON.parse(line).msg),
      ['the disk is full: telemetry is refused until there is room again'],
    )

    await rm(filler)
    await until(async () => (await send()) === 200, 'telemetry accepted again')
    await service.stop()
  })
})
