import { useState } from 'react'
import type { Device } from '../api/organization.ts'
import { type CallForPart, type ResultOf, runInParts } from './call-parts.ts'

export type PartResult = ResultOf<Device>

/** `runInParts`, with how many are done while it runs. */
export function useInParts() {
  const [done, setDone] = useState(0)
  return { run: (devices: Device[], call: CallForPart<Device>) => runInParts(devices, call, setDone), done }
}
