import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startService, temporaryDataDir } from './support/service.ts'

const program = fileURLToPath(new URL('../server/landbridge.js', import.meta.url))

function landbridge(...words: string[]): Promise<{ code: number; text: string }> {
  const { PATH = '', HOME = '' } = process.env
  const options = { env: { PATH, HOME, TMPDIR: tmpdir() }, timeout: 120_000 }
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...words], options, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, text: out + err })
    })
  })
}

describe('npx landbridge backup and restore', () => {
  it('a running service is backed up, tried, and restored into an empty folder, where it goes on', async () => {
    const folder = await temporaryDataDir()
    const [original, backup, copy] = ['original', 'backup', 'copy'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    const service = await startService({ env: { LANDBRIDGE_DATA_DIR: original, LANDBRIDGE_LAB: 'true' } })
    const lab = JSON.parse(await readFile(join(original, 'lab.json'), 'utf8'))
    const device = await registerDevice(service.ready.entry_url, lab)
    assert.equal(await sendTelemetry(service.ready.hub_url, device), 200)
    const keySet = await (await fetch(`${service.ready.public_url}/oauth/.well-known/jwks.json`)).text()

    const written = await landbridge('backup', backup, '--data-dir', original)
    assert.deepEqual([written.code, /^Backed up \d+ rows of \d+ tables/.test(written.text)], [0, true], written.text)
    const healthy = await landbridge('doctor', '--data-dir', original)
    assert.deepEqual([healthy.code, /ok +addresses: .* is ready/.test(healthy.text)], [0, true], healthy.text)
    await service.stop()
    const leftBefore = (await readdir(tmpdir())).filter((name) => name.startsWith('landbridge-restore-'))
    const tried = await landbridge('restore', backup, '--check')
    assert.deepEqual([tried.code, tried.text.includes('can be restored')], [0, true], tried.text)
    const left = (await readdir(tmpdir())).filter((name) => name.startsWith('landbridge-restore-'))
    assert.deepEqual(left, leftBefore, 'a trial leaves nothing behind')

    const restored = await landbridge('restore', backup, '--data-dir', copy)
    assert.equal(restored.code, 0, restored.text)
    const again = await startService({ env: { LANDBRIDGE_DATA_DIR: copy, LANDBRIDGE_LAB: 'true' } })
    assert.equal(await sendTelemetry(again.ready.hub_url, device), 200, 'the device goes on with its key')
    assert.equal(await (await fetch(`${again.ready.public_url}/oauth/.well-known/jwks.json`)).text(), keySet)
    assert.equal((await landbridge('restore', backup, '--data-dir', copy)).code, 1, 'never over a folder in use')
    await again.stop()
  })

  it('says what is wrong with its arguments', async () => {
    const results = await Promise.all([landbridge('backup'), landbridge('restore', '/nowhere', '--check')])
    assert.deepEqual(
      results.map(({ code, text }) => [code, text.trim().split('\n')[0]]),
      [
        [2, 'Missing <folder>.'],
        [1, '/nowhere is no backup: it has no manifest.json.'],
      ],
    )
  })
})

interface LabDevice {
  id: string
  access_key: string
}

async function registerDevice(url: string, lab: { model_id: string; hardware_key: string }): Promise<LabDevice> {
  const body = { device_model: lab.model_id, hardware_key: lab.hardware_key, mac: '02:00:00:00:00:01', sn: 'SN-1' }
  const response = await fetch(`${url}/v1/devices`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, firmware_version: '1.0.0' }),
  })
  assert.equal(response.status, 201, await response.clone().text())
  return (await response.json()) as LabDevice
}

async function sendTelemetry(url: string, { id, access_key }: LabDevice): Promise<number> {
  const response = await fetch(`${url}/v1/devices/${id}/telemetry`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: access_key },
    body: JSON.stringify({ status: 'online', telemetries: { temperature: 21.5 } }),
  })
  return response.status
}
