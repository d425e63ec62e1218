import 'reflect-metadata'
import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { it } from 'node:test'
import { BasicConstraintsExtension, X509Certificate as Extended, KeyUsagesExtension } from '@peculiar/x509'
import { createCertificate } from './self-signed-certificate.ts'

const now = new Date('2026-03-01T12:00:00Z')

it('a certificate of its own is for its hosts and this machine, never expires, and is no authority', async () => {
  const { certificate, privateKey } = await createCertificate(['hub.example', '192.0.2.1', 'localhost'], now)
  const read = new X509Certificate(certificate)
  assert.equal(read.subject, 'CN=Landbridge')
  assert.equal(
    read.subjectAltName,
    'DNS:hub.example, IP Address:192.0.2.1, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
  )
  // A day before, for clients whose clocks are slow.
  assert.deepEqual(read.validFromDate, new Date('2026-02-28T12:00:00Z'))
  assert.deepEqual(read.validToDate, new Date('9999-12-31T23:59:59Z'))
  assert.match(read.serialNumber, /^01[0-9A-F]{30}$/)
  const extended = new Extended(certificate)
  const { ca, critical } = extended.getExtension(BasicConstraintsExtension)!
  assert.deepEqual([ca, critical, extended.getExtension(KeyUsagesExtension)!.critical], [false, true, true])
  assert.deepEqual(read.keyUsage, ['1.3.6.1.5.5.7.3.1'], 'for servers')
  assert.ok(read.checkPrivateKey(createPrivateKey(privateKey)))
  assert.equal(read.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
})

it('is PEM as every program writes it, and differs each time', async () => {
  const [one, other] = await Promise.all([createCertificate([], now), createCertificate([], now)])
  assert.notEqual(
    new X509Certificate(one.certificate).serialNumber,
    new X509Certificate(other.certificate).serialNumber,
  )
  for (const [text, kind] of [
    [one.certificate, 'CERTIFICATE'],
    [one.privateKey, 'PRIVATE KEY'],
  ] as const) {
    const pem = new RegExp(
      `^-----BEGIN ${kind}-----\\n([\\w+/]{64}\\n)*[\\w+/]{1,64}={0,2}\\n-----END ${kind}-----\\n$`,
    )
    assert.match(text, pem)
  }
})
