// Signs off the main thread: many inputs per message, since a message costs as much as an ES256 signature.
import { type KeyObject, sign } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { joinedSignature } from './ecdsa-signature.ts'

export interface SigningOrder {
  id: number
  /** Null for the key of the order before. */
  key: KeyObject | null
  /** `<header>.<claims>`, one per signature. */
  inputs: string[]
}

/** The signatures in the same order (base64url), or why there are none. */
export type SigningReport = { id: number; signatures: string[] } | { id: number; error: string }

let lastKey: KeyObject

parentPort!.on('message', ({ id, key, inputs }: SigningOrder) => {
  if (key) lastKey = key
  parentPort!.postMessage(report(id, lastKey, inputs))
})

function report(id: number, key: KeyObject, inputs: string[]): SigningReport {
  try {
    const isElliptic = key.asymmetricKeyType === 'ec'
    const signatures = inputs.map((input) => {
      const signature = sign('sha256', Buffer.from(input), key)
      return (isElliptic ? joinedSignature(signature) : signature).toString('base64url')
    })
    return { id, signatures }
  } catch (error) {
    return { id, error: String(error) }
  }
}
