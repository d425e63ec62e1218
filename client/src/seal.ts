import type { Tokens } from './tokens.ts'

/** Tokens as they may lie in a file or a database: AES-256-GCM, bound to their organization. */
export interface Seal {
  close(tokens: Tokens): Promise<string>
  open(orgId: string, sealed: string): Promise<Tokens>
}

/** `key`: 32 random bytes in base64, kept apart from where the tokens lie. `openssl rand -base64 32` makes one. */
export function sealWith(key: string): Seal {
  const imported = importKey(key)
  // Reported by the first call that needs it.
  imported.catch(() => {})
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

async function importKey(key: string) {
  const bytes = fromBase64(key)
  if (bytes.length !== 32) throw new Error('The key of a token store is 32 bytes in base64: openssl rand -base64 32')
  return await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
