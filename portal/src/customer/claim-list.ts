import { useEffect, useState } from 'react'
import type { ApiError } from '../api/http.ts'
import type { ClaimLine } from './claim-lines.ts'

export type ClaimResult =
  | { kind: 'claimed' }
  | { kind: 'failed'; reason: string }
  | { kind: 'pending' }
  | { kind: 'rate_limited'; seconds: number }

/** After a 429, a long list continues by itself. */
const retrySeconds = 5

/** One request per line, one after another. Stopping waits for the current one, so that every result is certain. */
export function useClaimList(claim: (line: ClaimLine) => Promise<unknown>) {
  const [results, setResults] = useState<ReadonlyMap<number, ClaimResult>>(new Map())
  const [stopper, setStopper] = useState<AbortController | null>(null)
  // Leaving the page stops it too.
  useEffect(() => () => stopper?.abort(), [stopper])
  const setResult = ({ line }: ClaimLine, result: ClaimResult) => setResults((now) => new Map(now).set(line, result))

  const claimLine = async (line: ClaimLine, signal: AbortSignal): Promise<void> => {
    setResult(line, { kind: 'pending' })
    try {
      await claim(line)
      setResult(line, { kind: 'claimed' })
    } catch (error) {
      const { status, message } = error as ApiError
      if (status === 429) {
        setResult(line, { kind: 'rate_limited', seconds: retrySeconds })
        await sleep(retrySeconds * 1000, signal)
        if (!signal.aborted) return await claimLine(line, signal)
      }
      setResult(line, { kind: 'failed', reason: message })
    }
  }
  const run = async (lines: ClaimLine[]) => {
    const abort = new AbortController()
    setStopper(abort)
    for (const line of lines) {
      if (abort.signal.aborted) break
      await claimLine(line, abort.signal)
    }
    setStopper(null)
  }
  return { results, running: stopper !== null, run, stop: () => stopper?.abort(), reset: () => setResults(new Map()) }
}

/** Resolves early when stopped. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve())
  })
}
