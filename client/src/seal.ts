import { LandbridgeError } from './errors.ts'
import type { Tokens } from './tokens.ts'

/** Tokens as they may lie in a file or a database: AES-256-GCM, bound to their organization. */
export interface Seal {
  close(tokens: Tokens): Promise<string>
  open(orgId: string, sealed: string): Promise<Tokens>
}

/**
 * `key`: 32 random bytes in base64, kept apart from where the tokens lie. `openssl rand -base64 32` makes one. A wrong one
 * is refused here, rather than when there are tokens to keep, for which a code was spent.
 */
export function sealWith(key: string): Seal {
  const imported = crypto.subtle.importKey('raw', bytesOf(key), 'AES-GCM', false, ['encrypt', 'decrypt'])
  return {
    async close(tokens) {
      const iv = crypto.getRandomValues(new Uint8Array(12))
      const text = new TextEncoder().encode(JSON.stringify(tokens))
      const boxed = await crypto.subtle.encrypt(algorithm(iv, tokens.org_id), await imported, text)
      return `${toBase64(iv)}.${toBase64(new Uint8Array(boxed))}`
    },
    async open(orgId, sealed) {
      const [iv = '', boxed = ''] = sealed.trim().split('.')
      const key = await imported
      try {
        const text = await crypto.subtle.decrypt(algorithm(fromBase64(iv), orgId), key, fromBase64(boxed))
        return JSON.parse(new TextDecoder().decode(text))
      } catch (cause) {
        throw new Error(`The tokens of ${orgId} cannot be opened: were they sealed with another key?`, { cause })
      }
    },
  }
}

const algorithm = (iv: Uint8Array<ArrayBuffer>, orgId: string) => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(orgId),
})

function bytesOf(key: string): Uint8Array<ArrayBuffer> {
  try {
    const bytes = fromBase64(key)
    if (bytes.length === 32) return bytes
  } catch {
    // No base64 at all.
  }
  const message = 'The key of a token store is 32 bytes in base64: openssl rand -base64 32'
  throw new LandbridgeError('invalid_key', message)
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
