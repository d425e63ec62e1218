import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useApi } from '../../api/api.tsx'
import type { ApiError } from '../../api/http.ts'
import { pathOf } from '../../api/operations.ts'
import { spanOf, type TimeRange, type TimeSpan } from '../chart/time-range.ts'

/** The service should not be asked more often. */
const shortestPause = 1_500
const longestPause = 300_000

interface RangeQuery<Data> {
  deviceId: string
  /** What is read, besides the device and the range. */
  about: unknown[]
  range: TimeRange
  /** Changes when there is something new. */
  arrived: string | null
  read: (span: TimeSpan, signal: AbortSignal) => Promise<Data>
}

/** While the range lasts until now, it is read again when something arrived, and as time passes. */
export function useRangeQuery<Data>({ deviceId, about, range, arrived, read }: RangeQuery<Data>) {
  const { kind, name } = useApi('organization', 'partner')
  const live = 'last' in range || range.to > Date.now() / 1000
  // In a chart of a month nobody sees the last minute, and reading it takes longest.
  const { from, to } = spanOf(range)
  const pause = Math.min(longestPause, Math.max(shortestPause, ((to - from) * 1000) / 2_000))
  const query = useQuery<Data & { span: TimeSpan }, ApiError>({
    queryKey: [name, pathOf(`GET /core/v1/${kind}/devices/{id}`, { id: deviceId }), ...about, range],
    queryFn: async ({ signal }) => {
      const span = spanOf(range)
      return { ...(await read(span, signal)), span }
    },
    placeholderData: keepPreviousData,
    refetchInterval: live ? Math.max(30_000, pause) : false,
  })
  useArrivals(arrived, () => live && void query.refetch({ cancelRefetch: false }), pause)
  return query
}

/** Calls when something arrived, but not more often than once per pause. */
export function useArrivals(arrived: string | null, onArrival: () => void, pause = shortestPause): void {
  const call = useRef(onArrival)
  call.current = onArrival
  const seen = useRef(arrived)
  const waiting = useRef<number | undefined>(undefined)
  useEffect(() => {
    if (seen.current === arrived) return
    seen.current = arrived
    waiting.current ??= window.setTimeout(() => {
      waiting.current = undefined
      call.current()
    }, pause)
  }, [arrived, pause])
  useEffect(
    () => () => {
      window.clearTimeout(waiting.current)
      waiting.current = undefined
    },
    [],
  )
}
