import { X509Certificate } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Sql } from '../database/sql.ts'
import { createCertificate, type TlsMaterial } from './self-signed-certificate.ts'

const purpose = 'static_certificate.private_key'

/**
 * The certificate that never changes, for clients that pin it because they cannot follow a renewal. Stored in the
 * database, so that every process presents the same one.
 */
export async function staticCertificate(context: Context): Promise<TlsMaterial> {
  const stored = await readStored(context)
  if (stored) return stored
  const created = await createCertificate(hostsOf(context), context.now())
  const sealed = context.masterKey.seal(purpose, created.privateKey)
  // Two processes may both create one; the first row stays, and both read it.
  await context.sql`
    insert into static_certificate (certificate, private_key, made_at)
    values (${created.certificate}, ${sealed}, ${context.now()})
    on conflict do nothing`
  return (await readStored(context))!
}

/** What clients pin: the certificate itself and its SHA-256, as `AB:CD:…`. */
export async function describeStaticCertificate(
  context: Context,
): Promise<{ certificate: string; sha256_fingerprint: string }> {
  const { certificate } = await staticCertificate(context)
  return { certificate, sha256_fingerprint: new X509Certificate(certificate).fingerprint256 }
}

async function readStored({ sql, masterKey }: Context): Promise<TlsMaterial | undefined> {
  const row = await findCertificate(sql)
  return row && { certificate: row.certificate, privateKey: masterKey.open(purpose, row.private_key) }
}

async function findCertificate(sql: Sql): Promise<{ certificate: string; private_key: Buffer } | undefined> {
  const [row] = await sql<{ certificate: string; private_key: Buffer }[]>`
    select certificate, private_key from static_certificate`
  return row
}

/** The host names known when the certificate is created; a pin does not depend on them. */
function hostsOf({ config }: Context): string[] {
  const urls = [config.staticCertUrl, config.mqttUrl, config.hubUrl, config.publicUrl]
  return urls.flatMap((url) => URL.parse(url ?? '')?.hostname.replace(/^\[|\]$/g, '') || [])
}
