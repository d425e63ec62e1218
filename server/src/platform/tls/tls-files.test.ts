import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, createServer } from 'node:tls'
import pino from 'pino'
import { renegotiate } from '../../../../test/support/renegotiation.ts'
import { until } from '../../../../test/support/until.ts'
import { listenerTls } from './listener-tls.ts'
import { createCertificate } from './self-signed-certificate.ts'
import { readTlsFiles, reloadOnChange } from './tls-files.ts'

const folder = await mkdtemp(join(tmpdir(), 'landbridge-tls-'))
const files = { certificateFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
const now = new Date()
const first = await createCertificate(['one.test'], now)
const second = await createCertificate(['two.test'], now)
await writeFile(files.certificateFile, first.certificate)
await writeFile(files.keyFile, first.privateKey)
const server = createServer(listenerTls(await readTlsFiles(files)), (socket) => socket.on('error', () => {}))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const reloaded: string[] = []
const stop = reloadOnChange(server, files, pino({ level: 'silent' }), (pair) => reloaded.push(pair.certificate), 50)
after(async () => {
  stop()
  server.close()
  await rm(folder, { recursive: true })
})

async function presented(): Promise<string> {
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

const fingerprint = (pem: string) => new X509Certificate(pem).fingerprint256

describe('LANDBRIDGE_TLS_CERT and LANDBRIDGE_TLS_KEY', () => {
  it('a renewed pair is served without a restart; half a renewal keeps the old pair', async () => {
    assert.equal(await presented(), fingerprint(first.certificate))
    // As renewals do: a new file renamed over the old one.
    await writeFile(join(folder, 'new'), second.certificate)
    await rename(join(folder, 'new'), files.certificateFile)
    await sleep(300)
    assert.equal(await presented(), fingerprint(first.certificate))
    await writeFile(join(folder, 'new'), second.privateKey)
    await rename(join(folder, 'new'), files.keyFile)
    await until(async () => (await presented()) === fingerprint(second.certificate), 'the renewed pair')
    assert.deepEqual(reloaded, [second.certificate])
    assert.equal(await renegotiate(server), 'refused')
  })

  it('a key that does not belong to the certificate is reported at the start', async () => {
    await writeFile(files.keyFile, first.privateKey)
    await assert.rejects(readTlsFiles(files), /key values mismatch/)
  })
})
