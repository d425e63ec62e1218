import { type CryptoKey, importJWK, SignJWT } from 'jose'
import type { Context } from '../context.ts'
import { coalesce } from '../platform/coalesce.ts'
import { perContext } from '../platform/per-context.ts'
import { type SigningAlg, signingKey } from './key-schedule.ts'
import { sealedFor } from './signing-keys.ts'
import { findPrivateKey, listSigningKeys, type SigningKey } from './store/signing-keys.ts'

/**
 * Signs off the main thread. Null when no key of this kind can sign. Which key signs is read each time, so that a key
 * added or removed anywhere is felt everywhere; only the opened key itself is kept, and it never changes.
 */
export async function signJwt(context: Context, alg: SigningAlg, claims: object): Promise<string | null> {
  const { currentKeys, openKey } = signer(context)
  const key = signingKey(await currentKeys(null), alg, context.now())
  if (!key) return null
  const opened = await openKey(key)
  if (!opened) return null
  return await new SignJWT({ ...claims }).setProtectedHeader({ alg, kid: key.kid, typ: 'JWT' }).sign(opened)
}

const signer = perContext((context: Context) => {
  const opened = new Map<string, Promise<CryptoKey | null>>()

  const currentKeys = coalesce<null, SigningKey[]>(async (callers) => {
    const keys = await listSigningKeys(context.sql)
    for (const kid of opened.keys()) if (!keys.some((key) => key.kid === kid)) opened.delete(kid)
    return callers.map(() => keys)
  })

  function openKey(key: SigningKey): Promise<CryptoKey | null> {
    let promise = opened.get(key.kid)
    if (!promise) {
      promise = open(key)
      opened.set(key.kid, promise)
    }
    return promise
  }

  async function open({ kid, alg }: SigningKey): Promise<CryptoKey | null> {
    try {
      const sealed = await findPrivateKey(context.sql, kid)
      return sealed
        ? ((await importJWK(JSON.parse(context.masterKey.open(sealedFor, sealed)), alg)) as CryptoKey)
        : null
    } catch (error) {
      // Another master key, or a database that did not answer: try again next time.
      opened.delete(kid)
      context.log.error({ err: error, kid }, 'signing key cannot be opened')
      return null
    }
  }

  return { currentKeys, openKey }
})
