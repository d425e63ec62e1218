import { useState } from 'react'
import type { ApiError } from '../api/http.ts'
import type { Device } from '../api/organization.ts'

/** As many devices as one call may change. */
const perCall = 1_000

export function partsOf<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / perCall) }, (_, n) =>
    items.slice(n * perCall, (n + 1) * perCall),
  )
}

export interface PartResult {
  device: Device
  /** Why it was not done. */
  error: string | null
}

/**
 * Calls the service for some devices after the other, with one result per device. A call that fails ends it: what was done
 * before is done, and the others say why they were not; only if nothing was done it is an error.
 */
export function useInParts() {
  const [done, setDone] = useState(0)
  const run = async (
    devices: Device[],
    call: (part: Device[], first: number) => Promise<(string | null)[]>,
  ): Promise<PartResult[]> => {
    const results: PartResult[] = []
    for (const part of partsOf(devices)) {
      const first = results.length
      try {
        const errors = await call(part, first)
        results.push(...part.map((device, index) => ({ device, error: errors[index] ?? null })))
      } catch (error) {
        if (first === 0) throw error
        const rest = devices.slice(first)
        results.push(...rest.map((device) => ({ device, error: (error as ApiError).message })))
        break
      }
      setDone(results.length)
    }
    return results
  }
  return { run, done }
}
