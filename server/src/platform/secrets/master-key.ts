import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** Seals what must be readable again (signing keys, hardware keys, webhook secrets): AES-256-GCM, `nonce ‖ tag ‖ text`. */
export interface MasterKey {
  /** `purpose` is bound into the box, so that a sealed value cannot be moved to another column. */
  seal(purpose: string, text: string): Buffer
  open(purpose: string, box: Buffer): string
  /** For text that could be guessed: without the key, a reader of the database cannot try guesses. */
  keyedDigest(purpose: string, text: string): Buffer
}

const nonceBytes = 12
const tagBytes = 16

export function masterKey(key: Buffer): MasterKey {
  return {
    seal(purpose, text) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
    },
    open(purpose, box) {
      const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, nonceBytes))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(box.subarray(nonceBytes, nonceBytes + tagBytes))
      return decipher.update(box.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
    },
    keyedDigest(purpose, text) {
      // Derived, so that the key itself is used for sealing only.
      const derived = Buffer.from(hkdfSync('sha256', key, '', `digest ${purpose}`, 32))
      return createHmac('sha256', derived).update(text).digest()
    },
  }
}
