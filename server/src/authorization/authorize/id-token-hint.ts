import { compactVerify, decodeProtectedHeader, errors, importJWK } from 'jose'
import { isId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import { listSigningKeys } from '../store/signing-keys-sql.ts'

export interface HintedPerson {
  user_id: string
  /** Only when the token contains it: the sign-in page must not reveal more than the application knows. */
  email: string | null
}

/** Longer than any id_token of this service; checked before decoding. */
const maxCharacters = 8_192

/**
 * The person of an id_token_hint, or null when this service did not sign it for this application (OpenID Connect Core
 * 3.1.2.2). An expired one is accepted: it only names somebody who signed in before (decision 6.6).
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
    // jose throws a TypeError for a header that is not JSON, and its own errors for everything else.
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof SyntaxError) return null
    throw error
  }
}
