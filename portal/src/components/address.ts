import { useMemo } from 'react'
import { type NavigateOptions, useSearchParams } from 'react-router'
import { readTimeRange, type TimeRange, writeTimeRange } from './time-range.ts'

/**
 * Changes the parameters of the address. Starts from the address itself: after two quick clicks, the page may not show
 * the first one yet, and its parameters would be those before it.
 */
export function useChangeAddress(): (change: (search: URLSearchParams) => void, options?: NavigateOptions) => void {
  const [, setSearch] = useSearchParams()
  return (change, options) => {
    const search = new URLSearchParams(window.location.search)
    change(search)
    setSearch(search, options)
  }
}

/** The range in the address. Each change is a step of the browser's history: Back undoes a zoom. */
export function useTimeRange(initial = '1h'): [TimeRange, (range: TimeRange) => void] {
  const [search] = useSearchParams()
  const changeAddress = useChangeAddress()
  const setRange = (range: TimeRange) => changeAddress((now) => writeTimeRange(now, range, initial))
  return [useMemo(() => readTimeRange(search, initial), [search, initial]), setRange]
}
