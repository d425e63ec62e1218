// A passkey in software, with the faults that a test asks for: what a browser and its authenticator return (WebAuthn level 3).
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

interface Options {
  challenge: string
  rp?: { id?: string }
  rpId?: string
  user?: { id: string }
}

export interface Faults {
  origin?: string
  rpId?: string
  challenge?: string
  counter?: number
  userHandle?: string | null
  userVerified?: boolean
  crossOrigin?: boolean
  type?: string
  /** Of another key. */
  signature?: string
  id?: string
}

export class Authenticator {
  readonly origin: string
  readonly credentialId = randomBytes(32)
  readonly #key: KeyObject
  readonly #cose: Buffer
  userHandle = ''
  counter = 0

  constructor(origin: string) {
    this.origin = origin
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#key = privateKey
    const { x, y } = publicKey.export({ format: 'jwk' })
    const parts = [Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')]
    // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
    this.#cose = Buffer.concat([hex('a5010203262001215820'), parts[0]!, hex('225820'), parts[1]!])
  }

  create(options: Options, faults: Faults = {}): string {
    this.userHandle = options.user!.id
    const idLength = Buffer.from([0, this.credentialId.length])
    const attested = Buffer.concat([Buffer.alloc(16), idLength, this.credentialId, this.#cose])
    const data = this.#data(options.rp!.id!, 0x40, faults, attested)
    // {fmt: "none", attStmt: {}, authData}
    const head = Buffer.concat([
      hex('a363666d74646e6f6e656761747453746d74a0'),
      hex('68617574684461746158'),
      Buffer.from([data.length]),
    ])
    return this.#json({
      clientDataJSON: clientData('webauthn.create', options.challenge, this.origin, faults),
      attestationObject: Buffer.concat([head, data]).toString('base64url'),
      transports: ['internal', 'invented'],
    })
  }

  get(options: Options, faults: Faults = {}): string {
    this.counter += 1
    const data = this.#data(options.rpId!, 0, faults, Buffer.alloc(0))
    const clientDataJSON = clientData('webauthn.get', options.challenge, this.origin, faults)
    const signed = Buffer.concat([data, createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest()])
    const userHandle = faults.userHandle === undefined ? this.userHandle : faults.userHandle
    return this.#json(
      {
        clientDataJSON,
        authenticatorData: data.toString('base64url'),
        signature: faults.signature ?? sign('sha256', signed, this.#key).toString('base64url'),
        ...(userHandle === null ? {} : { userHandle }),
      },
      faults.id,
    )
  }

  #data(rpId: string, flags: number, { rpId: otherId, counter, userVerified = true }: Faults, more: Buffer): Buffer {
    const head = Buffer.alloc(5)
    head[0] = 0x01 | (userVerified ? 0x04 : 0) | flags
    head.writeUInt32BE(counter ?? this.counter, 1)
    return Buffer.concat([
      createHash('sha256')
        .update(otherId ?? rpId)
        .digest(),
      head,
      more,
    ])
  }

  #json(response: object, id = this.credentialId.toString('base64url')): string {
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response })
  }
}

function clientData(type: string, challenge: string, origin: string, faults: Faults): string {
  const data = { type, challenge, origin, crossOrigin: false, ...definedOf(faults) }
  return Buffer.from(JSON.stringify(data)).toString('base64url')
}

function definedOf({ origin, challenge, crossOrigin, type }: Faults): object {
  return Object.fromEntries(
    Object.entries({ origin, challenge, crossOrigin, type }).filter(([, value]) => value !== undefined),
  )
}

/** What a page of ours gives the browser. */
export function passkeyOptions(page: string): Options {
  const [, text] = /data-options="([^"]*)"/.exec(page) ?? []
  if (text === undefined) throw new Error(`No passkey is asked for:\n${page}`)
  return JSON.parse(text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))))
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex')
}
