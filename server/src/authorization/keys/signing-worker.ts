// Signs off the main thread: many inputs per message, since a message costs as much as an ES256 signature.
import type { KeyObject } from 'node:crypto'
import { constants, getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { signatureOf } from './jws-signature.ts'

export interface SigningOrder {
  /** Where this thread keeps the key. */
  slot: number
  /** Null when the slot has it already. */
  key: KeyObject | null
  /** `<header>.<claims>`, one per signature, joined by a space: a single text is the cheapest message. */
  inputs: string
}

/** One per order and in their order: the signatures (base64url), joined by a space, or why there are none. */
export type SigningReport = string | { error: string }

/**
 * Below the main thread and Postgres, so that callers who need no signature do not wait for a core: Linux changes the
 * calling thread only, other systems the whole process.
 */
if (process.platform === 'linux') {
  try {
    setPriority(Math.min(getPriority() + 5, constants.priority.PRIORITY_LOW))
  } catch {
    // A sandbox may forbid it; the thread then signs at the usual priority.
  }
}

const keys: KeyObject[] = []

parentPort!.on('message', ({ slot, key, inputs }: SigningOrder) => {
  if (key) keys[slot] = key
  parentPort!.postMessage(report(keys[slot]!, inputs))
})

function report(key: KeyObject, inputs: string): SigningReport {
  try {
    const signatures = inputs.split(' ').map((input) => signatureOf(key, input))
    return signatures.join(' ')
  } catch (error) {
    return { error: String(error) }
  }
}
