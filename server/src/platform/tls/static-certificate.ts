import { X509Certificate } from 'node:crypto'
import type { BaseContext } from '../context.ts'
import type { Sql } from '../database/sql.ts'
import { StartFailure } from '../process/start-failure.ts'
import type { MasterKey } from '../secrets/master-key.ts'
import { createCertificate, type TlsMaterial } from './self-signed-certificate.ts'

const purpose = 'static_certificate.private_key'

/**
 * The certificate that never changes, for clients that pin it because they cannot follow a renewal. Stored in the
 * database, so that every process presents the same one.
 */
export async function staticCertificate(context: BaseContext): Promise<TlsMaterial> {
  const stored = await readStored(context)
  if (stored) return stored
  const created = await createCertificate(hostsOf(context), context.now())
  const sealed = context.masterKey.seal(purpose, created.privateKey)
  // Two processes may both create one; the first row stays, and both read it.
  await context.sql`
    insert into static_certificate (certificate, private_key, created_at)
    values (${created.certificate}, ${sealed}, ${context.now()})
    on conflict do nothing`
  return (await readStored(context))!
}

/** What clients pin: the certificate itself and its SHA-256, as `AB:CD:…`. */
export async function describeStaticCertificate(
  context: BaseContext,
): Promise<{ certificate: string; sha256_fingerprint: string }> {
  const { certificate } = await staticCertificate(context)
  return { certificate, sha256_fingerprint: new X509Certificate(certificate).fingerprint256 }
}

async function readStored({ sql, masterKey }: BaseContext): Promise<TlsMaterial | undefined> {
  const sealed = await findSealedCertificate(sql)
  return sealed && openSealedCertificate(masterKey, sealed)
}

export interface SealedCertificate {
  certificate: string
  private_key: Buffer
}

export async function findSealedCertificate(sql: Sql): Promise<SealedCertificate | undefined> {
  const [row] = await sql<SealedCertificate[]>`select certificate, private_key from static_certificate`
  return row
}

/** Every database has this certificate, so it also shows whether the master key is the right one. */
export function openSealedCertificate(masterKey: MasterKey, sealed: SealedCertificate): TlsMaterial {
  try {
    return { certificate: sealed.certificate, privateKey: masterKey.open(purpose, sealed.private_key) }
  } catch {
    throw new StartFailure(
      'The master key is not the one this database was encrypted with. Set LANDBRIDGE_MASTER_KEY to that key, or put back the file master.key of the data folder.',
    )
  }
}

/** The host names known when the certificate is created; a pin does not depend on them. */
function hostsOf({ config }: BaseContext): string[] {
  const urls = [config.staticCertUrl, config.mqttUrl, config.hubUrl, config.publicUrl]
  return urls.flatMap((url) => URL.parse(url ?? '')?.hostname.replace(/^\[|\]$/g, '') || [])
}
