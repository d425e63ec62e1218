import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'

/** A certificate and its key, both PEM. */
export interface TlsMaterial {
  certificate: string
  privateKey: string
}

/** RFC 5280 4.1.2.5: "no well-defined expiration". */
const never = new Date('9999-12-31T23:59:59Z')

/** P-256 and SHA-256, which the smallest TLS stacks can verify. */
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** For the given host names and addresses, without expiry: a client pins it, or trusts it as its own root. */
export async function createCertificate(hosts: readonly string[], now: Date): Promise<TlsMaterial> {
  // Loaded on use, since a service creates one certificate in its life. Its decorators need the polyfill first.
  await import('reflect-metadata')
  const {
    BasicConstraintsExtension,
    ExtendedKeyUsage,
    ExtendedKeyUsageExtension,
    KeyUsageFlags,
    KeyUsagesExtension,
    SubjectAlternativeNameExtension,
    X509CertificateGenerator,
  } = await import('@peculiar/x509')
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const names = [...new Set([...hosts, 'localhost', '127.0.0.1', '::1'])]
  const certificate = await X509CertificateGenerator.createSelfSigned({
    // A leading zero bit keeps the serial number positive.
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    name: 'CN=Landbridge',
    notBefore: new Date(now.getTime() - 86_400_000),
    notAfter: never,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }))),
    ],
  })
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  return {
    certificate: `${certificate.toString('pem')}\n`,
    privateKey: `-----BEGIN PRIVATE KEY-----\n${pkcs8.replace(/.{64}(?=.)/g, '$&\n')}\n-----END PRIVATE KEY-----\n`,
  }
}
