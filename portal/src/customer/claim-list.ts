import { useEffect, useState } from 'react'
import type { ApiError } from '../api/http.ts'
import type { ClaimLine } from '../components/mac.ts'

export type Result = { kind: 'claimed' } | { kind: 'refused'; why: string } | { kind: 'working' } | { kind: 'waiting' }

/** The service takes so many claims a minute; a long list waits for the next ones by itself. */
const waitMilliseconds = 5_000

/** One call a line, one after another. Stopping lets the call under way end, so that no result is a guess. */
export function useClaimList(claim: (line: ClaimLine) => Promise<unknown>) {
  const [results, setResults] = useState<ReadonlyMap<number, Result>>(new Map())
  const [stopper, setStopper] = useState<AbortController | null>(null)
  // Whoever leaves the page stops it too.
  useEffect(() => () => stopper?.abort(), [stopper])
  const tell = ({ line }: ClaimLine, result: Result) => setResults((now) => new Map(now).set(line, result))

  const claimLine = async (line: ClaimLine, signal: AbortSignal): Promise<void> => {
    tell(line, { kind: 'working' })
    try {
      await claim(line)
      tell(line, { kind: 'claimed' })
    } catch (error) {
      const { status, message } = error as ApiError
      if (status === 429) {
        tell(line, { kind: 'waiting' })
        await passed(waitMilliseconds, signal)
        if (!signal.aborted) return await claimLine(line, signal)
      }
      tell(line, { kind: 'refused', why: message })
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
  return { results, running: stopper !== null, run, stop: () => stopper?.abort(), forget: () => setResults(new Map()) }
}

/** After so long, or at once when it is stopped. */
function passed(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve())
  })
}
