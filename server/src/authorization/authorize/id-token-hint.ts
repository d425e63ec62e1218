import { compactVerify, decodeProtectedHeader, errors, importJWK } from 'jose'
import type { Context } from '../../context.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import { listSigningKeys } from '../store/signing-keys.ts'

export interface HintedPerson {
  user_id: string
  /** Only where the token itself says it: the sign-in page must not tell more than the application knows. */
  email: string | null
}

/** Longer than any id_token of ours; checked before anything is decoded. */
const maxCharacters = 8_192

/**
 * The person an id_token_hint names, or null when this service did not sign it for this application (OpenID Connect
 * Core 3.1.2.2). An expired one still names its person: it is a hint about a past sign-in and proves nothing by itself.
 */
export async function readIdTokenHint(context: Context, clientId: string, hint: string): Promise<HintedPerson | null> {
  if (hint.length > maxCharacters) return null
  const keys = await listSigningKeys(context.sql)
  try {
    const { kid } = decodeProtectedHeader(hint)
    const key = keys.find((candidate) => candidate.kid === kid)
    if (!key) return null
    const publicKey = await importJWK(key.public_jwk, key.alg)
    const { payload } = await compactVerify(hint, publicKey, { algorithms: [key.alg] })
    const { iss, aud, sub, email } = JSON.parse(new TextDecoder().decode(payload))
    if (iss !== context.addresses.publicUrl || aud !== clientId || !isId(sub)) return null
    return { user_id: sub, email: typeof email === 'string' ? email : null }
  } catch (error) {
    // jose throws a TypeError for a header that is no JSON, and its own errors for the rest.
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof SyntaxError) return null
    throw error
  }
}
