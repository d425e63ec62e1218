import { useEffect, useRef, useState } from 'react'
import { useApi } from '../api/api.tsx'
import type { ApiError } from '../api/http.ts'
import type { ClaimListResult } from '../api/organization.ts'
import type { CheckedLine } from './claim-check.ts'

export type LineResult = { kind: 'claimed' | 'already_yours'; device_id: string } | { kind: 'failed'; reason: string }

/** By the number of the line. */
export type LineResults = ReadonlyMap<number, LineResult>

/** Fewer than the service takes, so that progress shows and Stop does not have to wait for long. */
const linesPerCall = 250

type Phase = { kind: 'idle' } | { kind: 'sending' } | { kind: 'waiting'; seconds: number }

/** Sends the lines, and goes on by itself after a limit. Every result is stored, so that a list can be resumed. */
export function useClaimList(initial: LineResults, store: (results: LineResults) => void) {
  const api = useApi()
  const [results, setResults] = useState(initial)
  const [phase, setPhase] = useState<Phase>({ kind: 'idle' })
  const [error, setError] = useState<string | null>(null)
  // Known at once, unlike state: the second click of a double click must not send the list again.
  const running = useRef<AbortController | null>(null)
  // Leaving the page stops it too.
  useEffect(() => () => running.current?.abort(), [])

  const show = (next: LineResults) => {
    setResults(next)
    store(next)
  }

  /** Returns the results when it has ended; null when it is running already. */
  const run = async (lines: readonly CheckedLine[], done: LineResults): Promise<LineResults | null> => {
    if (running.current) return null
    const stopper = new AbortController()
    running.current = stopper
    setError(null)
    show(done)
    let now = done
    let queue = lines.flatMap(({ line, claim }) => (claim && !done.has(line) ? [{ line, claim }] : []))
    try {
      while (queue.length > 0 && !stopper.signal.aborted) {
        setPhase({ kind: 'sending' })
        const sent = queue.slice(0, linesPerCall)
        const response = await api.send('POST /core/v1/organization/devices/claim-list', {
          body: {
            devices: sent.map(({ claim }) => claim),
          },
        })
        const settled = sent.flatMap(({ line }, n) => resultOf(line, response.results[n]!))
        now = new Map([...now, ...settled])
        show(now)
        queue = queue.filter(({ line }) => !now.has(line))
        await countDown(response.retry_after_seconds ?? 0, stopper.signal, (seconds) =>
          setPhase({ kind: 'waiting', seconds }),
        )
      }
    } catch (failure) {
      setError((failure as ApiError).message)
    } finally {
      running.current = null
      setPhase({ kind: 'idle' })
    }
    return now
  }
  return { results, phase, error, run, stop: () => running.current?.abort(), reset: () => show(new Map()) }
}

/** None for a line that was not tried. */
function resultOf(line: number, result: ClaimListResult['results'][number]): [number, LineResult][] {
  const { outcome, device_id, error } = result
  if (outcome === 'not_tried') return []
  if (outcome === 'claimed' || outcome === 'already_yours') return [[line, { kind: outcome, device_id: device_id! }]]
  const reason = outcome === 'claim_failed' ? 'Cannot be claimed' : (error ?? 'Failed')
  return [[line, { kind: 'failed', reason }]]
}

/** Ends early when stopped. */
async function countDown(from: number, signal: AbortSignal, show: (seconds: number) => void): Promise<void> {
  const until = Date.now() + from * 1000
  for (let left = from; left > 0 && !signal.aborted; left = Math.ceil((until - Date.now()) / 1000)) {
    show(left)
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 1000)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}

/** What a reload or a closed tab must not lose: the list as it was entered, and what has become of its lines. */
export interface StoredList {
  text: string
  modelId: string | null
  spaceId: string | null
  startedAt: number
}

const keptMilliseconds = 7 * 86_400_000

/** In the browser, per customer, for a week. The list is written once, the results after every call. */
export function listStorage(customerId: string) {
  const keys = { list: `landbridge.claim-list.${customerId}`, results: `landbridge.claim-results.${customerId}` }
  const read = <Value>(key: string): Value | null => {
    const text = localStorage.getItem(key)
    return text === null ? null : (JSON.parse(text) as Value)
  }
  const write = (key: string, value: unknown) => {
    try {
      localStorage.setItem(key, JSON.stringify(value))
    } catch {
      // Full: the list is claimed all the same, and only cannot be resumed after a reload.
      clear()
    }
  }
  const clear = () => {
    localStorage.removeItem(keys.list)
    localStorage.removeItem(keys.results)
  }
  return {
    list: () => {
      const list = read<StoredList>(keys.list)
      if (!list || Date.now() - list.startedAt < keptMilliseconds) return list
      clear()
      return null
    },
    results: (): LineResults => new Map(read<[number, LineResult][]>(keys.results) ?? []),
    keepList: (list: StoredList) => write(keys.list, list),
    keepResults: (results: LineResults) => write(keys.results, [...results]),
    clear,
  }
}
