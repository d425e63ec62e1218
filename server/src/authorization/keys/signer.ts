import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { BaseContext } from '../../platform/context.ts'
import { findPrivateKey } from '../store/signing-keys-sql.ts'
import { type KeyFacts, type SigningAlg, signingKey } from './key-schedule.ts'
import { sealedFor } from './signing-keys.ts'
import type { SigningThreads } from './signing-threads.ts'

export interface Signer {
  key: KeyObject
  /** The header of every JWS that it signs, encoded. */
  header: string
}

/** Decrypted private keys by their `kid`. */
export type SignerCache = Map<string, Promise<Signer | null>>

export interface SignerContext extends BaseContext {
  signerCache: SignerCache
}

/**
 * The key of this algorithm that signs now, or null. `keys` are read for every request, so that an added or removed key
 * takes effect on all processes; only the decrypted key is cached, and it never changes.
 */
export async function chooseSigner(context: SignerContext, keys: KeyFacts[], alg: SigningAlg): Promise<Signer | null> {
  const chosen = signingKey(keys, alg, context.now())
  return chosen && (await openSigner(context, chosen))
}

/** A JWS in compact form (RFC 7515 section 3.1). */
export async function signJwt(threads: SigningThreads, { key, header }: Signer, claims: object): Promise<string> {
  const input = `${header}.${encode(claims)}`
  return `${input}.${await threads.sign(key, input)}`
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

function openSigner(context: SignerContext, facts: KeyFacts): Promise<Signer | null> {
  let signer = context.signerCache.get(facts.kid)
  if (!signer) {
    signer = unseal(context, facts)
    context.signerCache.set(facts.kid, signer)
  }
  return signer
}

async function unseal(context: SignerContext, { kid, alg }: KeyFacts): Promise<Signer | null> {
  try {
    const sealed = await findPrivateKey(context.sql, kid)
    if (!sealed) return null
    const key = createPrivateKey({ key: JSON.parse(context.masterKey.open(sealedFor, sealed)), format: 'jwk' })
    return { key, header: encode({ alg, kid, typ: 'JWT' }) }
  } catch (error) {
    // Another master key, or a failed database: try again next time.
    context.signerCache.delete(kid)
    context.log.error({ err: error, kid }, 'signing key cannot be opened')
    return null
  }
}
