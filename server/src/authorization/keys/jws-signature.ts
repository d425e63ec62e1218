import { type KeyObject, sign } from 'node:crypto'
import { joinedSignature } from './ecdsa-signature.ts'

/** SHA-256 with this key, in base64url. `input` is `<header>.<claims>` of a JWS, which is ASCII. */
export function signatureOf(key: KeyObject, input: string): string {
  const signature = sign('sha256', Buffer.from(input, 'latin1'), key)
  return (key.asymmetricKeyType === 'ec' ? joinedSignature(signature) : signature).toString('base64url')
}
