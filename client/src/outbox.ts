import { delayOf, sleep } from './backoff.ts'
import {
  type DeviceCredentials,
  type DeviceModel,
  type MassResult,
  maxInOneCall,
  stamped,
  type Telemetry,
} from './devices.ts'
import { LandbridgeError } from './errors.ts'

export interface OutboxOptions {
  /** Messages kept while the service cannot be reached; beyond it the oldest go. */
  max?: number
  /** The device is gone: stop sending for it and delete its key. */
  onRemoved?(deviceId: string): void
  /** The service would not take this message, now or ever: a wrong key (401) or a fault in it (422). */
  onRefused?(result: MassResult, telemetry: Telemetry): void
  /** What had to be dropped because the buffer was full. */
  onDropped?(deviceId: string, telemetry: Telemetry): void
}

interface Entry {
  device: DeviceCredentials
  telemetry: Telemetry
}

/**
 * Takes messages at once and delivers them in mass calls, in order, through outages: each is stamped when it is added, so
 * that what is sent twice is stored once and what is sent late keeps its own time.
 */
export class TelemetryOutbox {
  readonly #model: DeviceModel
  readonly #options: OutboxOptions
  readonly #max: number
  readonly #removed = new Set<string>()
  #waiting: Entry[] = []
  #running: Promise<void> | null = null
  #stopped = false

  constructor(model: DeviceModel, options: OutboxOptions = {}) {
    this.#model = model
    this.#options = options
    this.#max = options.max ?? 100_000
  }

  get waiting(): number {
    return this.#waiting.length
  }

  add(device: DeviceCredentials, telemetry: Telemetry): void {
    if (this.#removed.has(device.id)) return
    this.#waiting.push({ device, telemetry: stamped(telemetry) })
    if (this.#waiting.length > this.#max) {
      const dropped = this.#waiting.shift()!
      this.#options.onDropped?.(dropped.device.id, dropped.telemetry)
    }
    this.#running ??= this.#run()
  }

  /** When the service has responded to everything added so far. */
  async flushed(): Promise<void> {
    while (this.#running) await this.#running
  }

  /** Gives up what is still waiting, and returns it. */
  async stop(): Promise<{ device: DeviceCredentials; telemetry: Telemetry }[]> {
    this.#stopped = true
    await this.#running
    return this.#waiting
  }

  async #run(): Promise<void> {
    // Those added in the same moment go together.
    await Promise.resolve()
    for (let failures = 0; this.#waiting.length > 0 && !this.#stopped; ) {
      const batch = this.#waiting.slice(0, maxInOneCall)
      try {
        this.#settle(batch, await this.#model.sendMany(batch))
        failures = 0
      } catch (error) {
        // Not a fault of one message but of the whole call; anything but "later" will not get better by repeating.
        if (error instanceof LandbridgeError && error.status !== null && error.status < 429) this.#refuse(batch, error)
        else await sleep(delayOf(this.#model.options.backoff, failures++))
      }
    }
    this.#running = null
  }

  #settle(batch: Entry[], results: MassResult[]): void {
    this.#drop(batch)
    for (const [index, result] of results.entries()) {
      if (result.status === 200) continue
      if (result.status === 410) this.#forget(result.id)
      else this.#options.onRefused?.(result, batch[index]!.telemetry)
    }
  }

  #refuse(batch: Entry[], { status, code, message }: LandbridgeError): void {
    this.#drop(batch)
    for (const { device, telemetry } of batch) {
      this.#options.onRefused?.({ id: device.id, status: status as 422, code, error: message }, telemetry)
    }
  }

  #drop(batch: Entry[]): void {
    const gone = new Set(batch)
    this.#waiting = this.#waiting.filter((entry) => !gone.has(entry))
  }

  #forget(deviceId: string): void {
    if (this.#removed.has(deviceId)) return
    this.#removed.add(deviceId)
    this.#waiting = this.#waiting.filter(({ device }) => device.id !== deviceId)
    this.#options.onRemoved?.(deviceId)
  }
}
