import { setTimeout as wait } from 'node:timers/promises'
import { inParallel } from './in-parallel.ts'
import type { SimulatedDevice } from './simulated-device.ts'
import type { Target } from './target.ts'

const perCall = 1_000

interface ClaimResults {
  results: { outcome: string; error?: string }[]
  retry_after_seconds: number | null
}

/** Claims devices into their rooms. Spaces and devices that are there already stay as they are. */
export class Claimer {
  readonly #call: NonNullable<Target['organization']>
  readonly #target: Target
  readonly #spaces = new Map<string, Promise<string>>()

  constructor(target: Target, call: NonNullable<Target['organization']>) {
    this.#target = target
    this.#call = call
  }

  async claim(devices: SimulatedDevice[], signal: AbortSignal, onClaimed: (count: number) => void): Promise<void> {
    await inParallel(devices, 8, signal, async (device) => void (await this.#spaceOf(device)))
    for (let from = 0; from < devices.length && !signal.aborted; from += perCall) {
      await this.#claimList(devices.slice(from, from + perCall), signal)
      onClaimed(Math.min(from + perCall, devices.length))
    }
  }

  async #claimList(devices: SimulatedDevice[], signal: AbortSignal): Promise<void> {
    const lines = devices.map(async (device) => {
      const { mac, sn, name, kindName } = device.believable
      return { mac, sn, model_id: this.#target.models[kindName].id, name, space_id: await this.#spaceOf(device) }
    })
    const body = { devices: await Promise.all(lines) }
    const { results, retry_after_seconds } = (await this.#call('POST', '/devices/claim-list', body)) as ClaimResults
    const refused = results.find(({ outcome }) => !['claimed', 'already_yours', 'not_tried'].includes(outcome))
    if (refused) throw new Error(`A device was not claimed: ${refused.error ?? refused.outcome}`)
    if (retry_after_seconds === null) return
    await wait(retry_after_seconds * 1000, undefined, { signal }).catch(() => {})
    if (!signal.aborted) await this.#claimList(devices, signal)
  }

  #spaceOf({ believable: { spacePath } }: SimulatedDevice): Promise<string> {
    const key = spacePath.join('\n')
    let space = this.#spaces.get(key)
    if (!space) {
      space = this.#call('POST', '/spaces/find-or-create', { path: spacePath }).then(
        (found) => (found as { id: string }).id,
      )
      this.#spaces.set(key, space)
    }
    return space
  }
}
