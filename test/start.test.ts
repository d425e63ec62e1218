import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Service, startService, temporaryDataDir } from './support/service.ts'

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

  it('with a public address every listener is bound to all addresses', async () => {
    const publicUrl = 'https://landbridge.example.com'
    const env = { LANDBRIDGE_DATA_DIR: dataDir, LANDBRIDGE_HOST: '', LANDBRIDGE_PUBLIC_URL: publicUrl }
    const service = await startService({ env })
    assert.deepEqual(await reachable(service, dataDir), [true, true, true])
    await service.stop()
  })
})
