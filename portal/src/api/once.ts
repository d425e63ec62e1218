import { ApiError } from './http.ts'

interface Sending {
  key: string
  /** When the key was made. */
  since: number
  /** Absent when no request is under way. */
  running?: Promise<unknown> | undefined
}

/** After this time the same content is more likely a new wish than a repetition of a call without a response. */
const repeatMilliseconds = 600_000
const inUseAttempts = 5
const inUseDelayMilliseconds = 1_000

const sendings = new Map<string, Sending>()

/**
 * Sends a POST at most once: an equal one that is under way is not sent again, but shares its response. A call that got
 * no response keeps its Idempotency-Key, so that sending it again cannot create a second one.
 */
export function sendOnce<Result>(what: unknown, send: (key: string) => Promise<Result>): Promise<Result> {
  const name = JSON.stringify(what)
  const now = Date.now()
  for (const [other, { since, running }] of sendings) {
    if (!running && now - since > repeatMilliseconds) sendings.delete(other)
  }
  const sending = sendings.get(name) ?? { key: newKey(), since: now }
  if (sending.running) return sending.running as Promise<Result>
  sendings.set(name, sending)
  const running = waitWhileInUse(() => send(sending.key)).then(
    (result) => {
      sendings.delete(name)
      return result
    },
    (error) => {
      sending.running = undefined
      if (isFinal(error)) sendings.delete(name)
      throw error
    },
  )
  sending.running = running
  return running
}

/** The first attempt may still be running when its repetition arrives. */
async function waitWhileInUse<Result>(send: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send()
    } catch (error) {
      const inUse = error instanceof ApiError && error.code === 'idempotency_key_in_use'
      if (!inUse || attempt === inUseAttempts) throw error
      await new Promise((resolve) => setTimeout(resolve, inUseDelayMilliseconds))
    }
  }
}

/** False where nobody knows whether the call was executed, and where it waits for a new sign-in. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.code === 'idempotency_key_in_use') return false
  return error.status >= 400 && error.status < 500 && error.status !== 401
}

/** Not `crypto.randomUUID`, which exists only over https and on localhost. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
