import { useSyncExternalStore } from 'react'

/** `regained` for a few seconds after a lost connection. */
type State = 'fine' | 'lost' | 'regained'

interface Connection {
  state: State
  /** When the service responded last. */
  knownAt: number
}

const firstDelayMilliseconds = 1_000
const longestDelayMilliseconds = 15_000
const probeMilliseconds = 10_000
const regainedMilliseconds = 4_000
/** Lost again so soon, the delays go on growing: one part of the service may be away while the rest responds. */
const steadyMilliseconds = 30_000

let current: Connection = { state: 'fine', knownAt: Date.now() }
let lastResponse = Date.now()
let regainedAt = 0
let timer: number | undefined
let delay = firstDelayMilliseconds
let probing = false
const listeners = new Set<() => void>()
const regained = new Set<() => void>()

function become(state: State): void {
  if (current.state === state) return
  current = { state, knownAt: lastResponse }
  for (const listener of listeners) listener()
}

/** Called with every response. */
export function responded(status: number): void {
  // From a proxy or the service itself, when the service or its database is away.
  if (status >= 502 && status <= 504) {
    lost()
    return
  }
  lastResponse = Date.now()
  if (current.state !== 'lost') return
  window.clearTimeout(timer)
  regainedAt = Date.now()
  become('regained')
  timer = window.setTimeout(() => become('fine'), regainedMilliseconds)
  for (const listener of regained) listener()
}

/** Called with every request that got no response. */
export function lost(): void {
  if (current.state === 'lost') return
  become('lost')
  if (Date.now() - regainedAt > steadyMilliseconds) delay = firstDelayMilliseconds
  probeLater()
}

/** Asks whether the service is there, when something makes that doubtful. */
export async function probe(): Promise<boolean> {
  if (probing) return current.state !== 'lost'
  probing = true
  try {
    const { status } = await fetch('/readyz', { cache: 'no-store', signal: AbortSignal.timeout(probeMilliseconds) })
    responded(status)
  } catch {
    lost()
  } finally {
    probing = false
  }
  return current.state !== 'lost'
}

/** A service may hang instead of refusing: a request that waits this long for its response makes the connection doubtful. */
const doubtMilliseconds = 8_000

/** Call the result once the response is there. */
export function doubtful(): () => void {
  const doubt = window.setTimeout(() => void probe(), doubtMilliseconds)
  return () => window.clearTimeout(doubt)
}

/** Some jitter, so that not all open pages return in the same moment. */
function probeLater(): void {
  window.clearTimeout(timer)
  timer = window.setTimeout(
    async () => {
      if (!(await probe())) probeLater()
    },
    delay * (0.75 + Math.random() / 2),
  )
  delay = Math.min(delay * 2, longestDelayMilliseconds)
}

function probeNow(): void {
  if (current.state === 'lost') void probe()
}

window.addEventListener('online', probeNow)
window.addEventListener('focus', probeNow)
window.addEventListener('offline', () => void probe())

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => current)
}

/** Calls back each time the connection is there again. */
export function onRegained(listener: () => void): () => void {
  regained.add(listener)
  return () => regained.delete(listener)
}
