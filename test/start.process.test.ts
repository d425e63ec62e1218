import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Service, spawnService, startService, temporaryDataDir } from './support/service.ts'
import { until } from './support/until.ts'

/** Loopback, but not the default address: only a listener on every address is reachable there. */
const elsewhere = '127.0.0.2'

/** HTTP, MQTT and the static certificate. */
async function reachable({ ready }: Service, dataDir: string): Promise<boolean[]> {
  const http = (await readFile(join(dataDir, 'address'), 'utf8')).trim()
  return await Promise.all(
    [http, ready.mqtt_url, ready.static_cert_url].map(async (url) => {
      const port = Number(new URL(url).port)
      const socket = connect(port, elsewhere)
      const open = await once(socket, 'connect').then(
        () => true,
        () => false,
      )
      socket.destroy()
      return open
    }),
  )
}

/** The second start needs no new cluster. */
const dataDir = await temporaryDataDir()

describe('decisions 8.3 and 10.9: a start is for this machine alone, and writes no secret to the log', () => {
  it('no listener is reachable from elsewhere; the log says where the credentials of the lab are and has none of them', async () => {
    const env = {
      LANDBRIDGE_DATA_DIR: dataDir,
      LANDBRIDGE_HOST: '',
      LANDBRIDGE_LAB: 'true',
      LANDBRIDGE_LOG_LEVEL: 'trace',
    }
    const service = await startService({ env })
    assert.deepEqual(await reachable(service, dataDir), [false, false, false])
    await service.stop()
    const read = async (name: string) => (await readFile(join(dataDir, name), 'utf8')).trim()
    const lab = JSON.parse(await read('lab.json'))
    const secrets = [
      lab.password,
      lab.client_secret,
      lab.hardware_key,
      await read('master.key'),
      await read('operator.key'),
    ]
    secrets.push(await read('postgres/password'))
    assert.match(service.output(), /see .*lab\.json/)
    for (const secret of secrets) assert.ok(secret.length > 8 && !service.output().includes(secret))
  })

  it('with a public address every listener is bound to all addresses, and devices are given that host', async () => {
    const publicUrl = 'https://landbridge.example.com'
    const env = { LANDBRIDGE_DATA_DIR: dataDir, LANDBRIDGE_HOST: '', LANDBRIDGE_PUBLIC_URL: publicUrl }
    const service = await startService({ env: { ...env, LANDBRIDGE_MASTERKEY: 'x', LANDBRIDGE_DRAIN_SECONDS: '1' } })
    assert.deepEqual(await reachable(service, dataDir), [true, true, true])
    assert.match(service.ready.mqtt_url, /^mqtts:\/\/landbridge\.example\.com:\d+$/)
    assert.match(service.ready.static_cert_url, /^https:\/\/landbridge\.example\.com:\d+$/)
    assert.match(service.output(), /unknown variables, ignored: LANDBRIDGE_MASTERKEY/)

    const http = (await readFile(join(dataDir, 'address'), 'utf8')).trim()
    const stopped = service.stop()
    await until(async () => (await fetch(`${http}/readyz`)).status === 503)
    const served = await fetch(`${http}/healthz`)
    assert.deepEqual(
      [served.status, served.headers.get('connection')],
      [200, 'close'],
      'still served, and sent elsewhere',
    )
    assert.equal(await stopped, 0)

    const wrongKey = spawnService({ ...env, LANDBRIDGE_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') })
    let errors = ''
    wrongKey.stderr!.setEncoding('utf8').on('data', (text) => (errors += text))
    const [code] = await once(wrongKey, 'close')
    assert.deepEqual([code, errors.trim().split('\n').length], [1, 1])
    assert.match(errors, /^The master key is not the one/)
  })
})
