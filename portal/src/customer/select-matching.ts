import { useRef, useState } from 'react'
import { type Page, useApi } from '../api/api.tsx'
import type { Calls } from '../api/calls.ts'
import type { ApiError } from '../api/http.ts'
import { notifyError } from '../api/notify.tsx'
import type { ParametersOf } from '../api/operations.ts'
import type { Device } from '../api/organization.ts'
import { maxSelected, type Selection } from '../components/table/selection.ts'

type Matches = ParametersOf<'GET /core/v1/organization/devices'>

interface Reading {
  signal: AbortSignal
  onLoaded: (count: number) => void
}

/** All devices that match, or the first of them where they are more than can be selected. */
export async function readMatching(api: Calls, query: Matches, { signal, onLoaded }: Reading): Promise<Device[]> {
  const devices: Device[] = []
  for (let after: string | null | undefined; after !== null && devices.length < maxSelected; ) {
    const page: Page<Device> = await api.read(
      'GET /core/v1/organization/devices',
      { ...query, limit: 100, after },
      signal,
    )
    devices.push(...page.items)
    onLoaded(devices.length)
    after = page.next
  }
  return devices
}

interface Matching {
  listKey: string
  devices: Device[]
}

/**
 * Selects all that match, also those that the list has not loaded. They are read once and the selection is of these
 * devices: one that matches only later is not changed with them (decision 8.51).
 */
export function useSelectMatching(query: Matches, listKey: string, selection: Selection) {
  const api = useApi()
  const [matching, setMatching] = useState<Matching>({ listKey, devices: [] })
  const [loaded, setLoaded] = useState<number | null>(null)
  const reading = useRef<AbortController | null>(null)
  const shown = useRef(listKey)
  if (shown.current !== listKey) {
    shown.current = listKey
    reading.current?.abort()
  }
  const select = async () => {
    const stopper = new AbortController()
    reading.current = stopper
    const { signal } = stopper
    setLoaded(0)
    try {
      const devices = await readMatching(api, query, { signal, onLoaded: setLoaded })
      setMatching({ listKey, devices })
      selection.all(devices.map(({ id }) => id))
    } catch (error) {
      if (!signal.aborted) notifyError(error as ApiError)
    } finally {
      setLoaded(null)
    }
  }
  return {
    /** Those that were read here; the list may have newer ones of them. */
    devices: matching.listKey === listKey ? matching.devices : [],
    /** How many were read so far; null while it is not reading. */
    loaded,
    select: () => void select(),
    stop: () => reading.current?.abort(),
  }
}
