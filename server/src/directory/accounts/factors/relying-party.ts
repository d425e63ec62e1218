import { isIP } from 'node:net'
import { hostOf, isPublicHost, schemeOf } from '../../../platform/http/origin.ts'
import type { Context } from '../../context.ts'
import { isPortalDomain } from '../../partners/branding.ts'

/** On whose pages a passkey works: browsers present it on its own domain only (decision 6.60). */
export interface RelyingParty {
  /** The domain without the port. */
  id: string
  origin: string
}

/** Null where there can be no passkeys: an address instead of a name, or a host that is no portal. */
export async function relyingPartyOf(context: Context, host: string): Promise<RelyingParty | null> {
  const { publicUrl } = context.addresses
  const known = hostOf(publicUrl, host)
  if (known === null) return null
  const { origin, hostname: id } = new URL(`${schemeOf(publicUrl)}//${known}`)
  if (isIP(id.replaceAll(/[[\]]/g, ''))) return null
  return isPublicHost(publicUrl, host) || (await isPortalDomain(context, known)) ? { id, origin } : null
}
