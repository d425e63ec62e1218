// Postgres as managed services offer it: TLS with a CA of their own, passwords, and an ordinary role instead of a superuser.
import { randomBytes } from 'node:crypto'
import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PostgresUser } from '../../server/src/platform/private-postgres/user.ts'

export interface ManagedPostgres {
  /** What Postgres is started with, besides the lines of `pg_hba.conf` below. */
  settings: { ssl: string; ssl_cert_file: string; ssl_key_file: string }
  /** The file that clients trust. */
  ca: string
  /** Creates the role; it may also create databases, for a test run that copies its template. */
  createRole: string
  /** The address of a database for that role. */
  url(hosts: string, database: string): string
}

const role = 'landbridge_owner'

/** Nobody but these superusers comes without TLS, and nobody without a password. */
export function hostRules(...superusers: string[]): string[] {
  const trusted = superusers.map((name) => `host all ${name} 127.0.0.1/32 scram-sha-256`)
  return [...trusted, 'hostssl all all 127.0.0.1/32 scram-sha-256']
}

/** Into a folder that Postgres's user can enter. */
export async function createManagedPostgres(
  folder: string,
  user: PostgresUser,
  { mayCreateDatabases = false } = {},
): Promise<ManagedPostgres> {
  const { ca, certificate, privateKey } = await createCertificates()
  const files = { ca: join(folder, 'ca.pem'), certificate: join(folder, 'server.pem'), key: join(folder, 'server.key') }
  await writeFile(files.ca, ca)
  await writeFile(files.certificate, certificate)
  await writeFile(files.key, privateKey, { mode: 0o600 })
  if (user.uid !== undefined) await chown(files.key, user.uid, user.gid!)
  const password = randomBytes(18).toString('base64url')
  const right = mayCreateDatabases ? 'createdb' : 'nocreatedb'
  return {
    settings: { ssl: 'on', ssl_cert_file: files.certificate, ssl_key_file: files.key },
    ca: files.ca,
    createRole: `create role ${role} login nosuperuser nocreaterole ${right} noreplication password '${password}'`,
    url: (hosts, database) =>
      `postgres://${role}:${password}@${hosts}/${database}?sslmode=verify-full&sslrootcert=${encodeURIComponent(files.ca)}`,
  }
}

/** A CA, and a certificate for this machine that it has signed; both PEM. */
async function createCertificates(): Promise<{ ca: string; certificate: string; privateKey: string }> {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const newKeys = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const day = 86_400_000
  const validity = { notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + 365 * day) }
  const rootKeys = await newKeys()
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: '01',
    name: 'CN=CA of a test',
    keys: rootKeys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  })
  const keys = await newKeys()
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity,
    serialNumber: '02',
    issuer: root.subject,
    subject: 'CN=Postgres of a test',
    publicKey: keys.publicKey,
    signingKey: rootKeys.privateKey,
    signingAlgorithm: algorithm,
    // Not `localhost`: what a client falls back to when it forgets which host it asked for.
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
  })
  const privateKey = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey))
  return {
    ca: root.toString('pem'),
    certificate: certificate.toString('pem'),
    privateKey: x509.PemConverter.encode(privateKey, 'PRIVATE KEY'),
  }
}
