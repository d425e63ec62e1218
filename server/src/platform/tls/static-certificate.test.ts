import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, it } from 'node:test'
import { startHarness } from '../../../../test/support/harness.ts'
import { createContext } from '../../context.ts'
import { StartFailure } from '../process/start-failure.ts'
import { describeStaticCertificate, staticCertificate } from './static-certificate.ts'

const service = await startHarness({ LANDBRIDGE_STATIC_CERT_URL: 'https://pinned.example.com' })
const { context } = service

/** Another process of the same service: its own context on the same database. */
const sibling = () =>
  createContext({ ...context, keys: { master: Buffer.alloc(32, 7), operator: context.operatorKey } })

describe('the static certificate', () => {
  it('created by eight processes at once it is one certificate', async () => {
    const created = await Promise.all(Array.from({ length: 8 }, () => staticCertificate(sibling())))
    assert.equal(new Set(created.map(({ certificate }) => certificate)).size, 1)
    assert.equal(new Set(created.map(({ privateKey }) => privateKey)).size, 1)
  })

  it('stays the same after a restart and for ever', async () => {
    const before = await staticCertificate(context)
    service.clock.forward(20 * 365 * 86_400)
    assert.deepEqual(await staticCertificate(sibling()), before)
    const certificate = new X509Certificate(before.certificate)
    assert.ok(certificate.validToDate.getUTCFullYear() === 9999)
    assert.ok(certificate.verify(certificate.publicKey))
    assert.equal(certificate.checkHost('pinned.example.com'), 'pinned.example.com')
    assert.equal(certificate.checkIP('127.0.0.1'), '127.0.0.1')
  })

  it('cannot be read with another master key, which a start says in one sentence', async () => {
    const other = createContext({ ...context, keys: { master: Buffer.alloc(32, 8), operator: context.operatorKey } })
    await assert.rejects(staticCertificate(other), (error) => {
      return error instanceof StartFailure && /^The master key is not the one/.test(error.message)
    })
  })

  it('has a fingerprint to pin, and its key is stored sealed', async () => {
    const { sha256_fingerprint, certificate } = await describeStaticCertificate(context)
    assert.match(sha256_fingerprint, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
    assert.equal(new X509Certificate(certificate).fingerprint256, sha256_fingerprint)
    const [row] = await service.sql`select private_key from static_certificate`
    assert.ok(!row!.private_key.toString('latin1').includes('PRIVATE KEY'))
  })
})
