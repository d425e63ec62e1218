import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** RFC 6238 with what every app supports: SHA-1, six digits, 30 seconds. */
const stepMilliseconds = 30_000
const digits = 6
/** 160 bits, as RFC 4226 recommends. */
const secretBytes = 20

export function newTotpSecret(): string {
  return base32(randomBytes(secretBytes))
}

export function stepOf(at: Date): number {
  return Math.floor(at.getTime() / stepMilliseconds)
}

/** RFC 4226 section 5.3. */
export function codeOfStep(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = mac.at(-1)! & 0xf
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits
  return String(number).padStart(digits, '0')
}

/**
 * The step that a code is of: this one, the one before or the one after, since clocks differ. Null for a wrong code, and
 * for one of a step that was used, or lies before one that was.
 */
export function matchingStep(secret: string, code: string, at: Date, lastStep: number): number | null {
  const given = Buffer.from(code.replaceAll(/[\s-]/g, ''))
  if (given.length !== digits) return null
  const now = stepOf(at)
  const matching = [now - 1, now, now + 1].filter((step) =>
    timingSafeEqual(given, Buffer.from(codeOfStep(secret, step))),
  )
  return matching.find((step) => step > lastStep) ?? null
}

/** What the QR code says: Google Authenticator's Key URI format, which all apps read. */
export function keyUri({ secret, account, issuer }: { secret: string; account: string; issuer: string }): string {
  // A colon divides the two in the label.
  const label = [issuer, account].map((text) => encodeURIComponent(text.replaceAll(':', ' '))).join(':')
  // Without what is the default: a shorter text makes a code that is easier to scan.
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
}
