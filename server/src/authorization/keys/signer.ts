import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { Context } from '../../context.ts'
import { findPrivateKey } from '../store/signing-keys.ts'
import { type KeyFacts, type SigningAlg, signingKey } from './key-schedule.ts'
import { sealedFor } from './signing-keys.ts'
import type { SigningThreads } from './signing-threads.ts'

export interface Signer {
  alg: SigningAlg
  kid: string
  key: KeyObject
}

/**
 * The key of this algorithm that signs now, or null. `keys` are read for every request, so that an added or removed key
 * takes effect on all processes; only the decrypted key is cached, and it never changes.
 */
export async function chooseSigner(context: Context, keys: KeyFacts[], alg: SigningAlg): Promise<Signer | null> {
  const chosen = signingKey(keys, alg, context.now())
  const key = chosen && (await openKey(context, chosen))
  return chosen && key ? { alg, kid: chosen.kid, key } : null
}

/** A JWS in compact form (RFC 7515 section 3.1). */
export async function signJwt(threads: SigningThreads, { alg, kid, key }: Signer, claims: object): Promise<string> {
  const input = `${encode({ alg, kid, typ: 'JWT' })}.${encode(claims)}`
  return `${input}.${await threads.sign(key, input)}`
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

/** Decrypted private keys by their `kid`. */
export type SigningKeyCache = Map<string, Promise<KeyObject | null>>

function openKey(context: Context, { kid }: KeyFacts): Promise<KeyObject | null> {
  let key = context.signingKeyCache.get(kid)
  if (!key) {
    key = unseal(context, kid)
    context.signingKeyCache.set(kid, key)
  }
  return key
}

async function unseal(context: Context, kid: string): Promise<KeyObject | null> {
  try {
    const sealed = await findPrivateKey(context.sql, kid)
    if (!sealed) return null
    return createPrivateKey({ key: JSON.parse(context.masterKey.open(sealedFor, sealed)), format: 'jwk' })
  } catch (error) {
    // Another master key, or a failed database: try again next time.
    context.signingKeyCache.delete(kid)
    context.log.error({ err: error, kid }, 'signing key cannot be opened')
    return null
  }
}
