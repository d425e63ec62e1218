import { callLimits, type DeviceCredentials, type DeviceModel, type MassResult, stamped } from './devices.ts'
import { LandbridgeError } from './errors.ts'
import type { Telemetry } from './generated-types.ts'
import { memoryQueue, type OutboxQueue, type Queued } from './queue.ts'
import { call, delayOf, sleep } from './transport.ts'

export interface OutboxOptions {
  /** Where messages wait. In memory if left out: then they are lost with the process. */
  queue?: OutboxQueue
  /** Messages that may wait. 100,000 if left out. */
  max?: number
  /** What happens to one more: `drop-oldest` (if left out), `drop-newest`, or `add` waits until there is room. */
  whenFull?: 'drop-oldest' | 'drop-newest' | 'wait'
  /** The device is gone: stop sending for it and delete its key. */
  onRemoved?(deviceId: string): void
  /** The service would not take this message, now or ever: a wrong key (401) or a fault in it (422, 413). */
  onRefused?(result: Omit<MassResult, 'status'> & { status: number }, telemetry: Telemetry): void
  /** What had to be dropped because the queue was full. */
  onDropped?(deviceId: string, telemetry: Telemetry): void
  /** A call failed. Its messages stay and are sent again. */
  onError?(error: unknown): void
}

/**
 * Takes messages at once and delivers them in mass calls, in order, through outages: each is stamped when it is added, so
 * that what is sent twice is stored once and what is sent late keeps its own time.
 */
export class TelemetryOutbox {
  readonly #model: DeviceModel
  readonly #options: OutboxOptions
  readonly #queue: OutboxQueue
  readonly #max: number
  readonly #removed = new Set<string>()
  readonly #stopping = new AbortController()
  #room: (() => void)[] = []
  #trimming: Promise<void> = Promise.resolve()
  #running: Promise<void> | null = null

  constructor(model: DeviceModel, options: OutboxOptions = {}) {
    this.#model = model
    this.#options = options
    this.#queue = options.queue ?? memoryQueue()
    this.#max = options.max ?? 100_000
    // What an earlier process left behind.
    this.#wake()
  }

  get waiting(): number {
    return this.#queue.size
  }

  /** Resolves once the queue has the message. */
  async add(device: DeviceCredentials, telemetry: Telemetry): Promise<void> {
    this.#stopping.signal.throwIfAborted()
    if (this.#removed.has(device.id)) return
    const { id, access_key, hub_url } = device
    const message = { device: { id, access_key, hub_url }, telemetry: stamped(telemetry) }
    const { whenFull = 'drop-oldest' } = this.#options
    if (this.#isFull()) {
      if (whenFull === 'drop-newest') return call(this.#options.onDropped, id, message.telemetry)
      // Looked at again in the same moment as the message is pushed, so that many who wait do not come in at once.
      while (whenFull === 'wait' && this.#isFull()) {
        await new Promise<void>((resolve) => this.#room.push(resolve))
        this.#stopping.signal.throwIfAborted()
      }
    }
    await this.#queue.push(message)
    if (whenFull === 'drop-oldest' && this.#queue.size > this.#max) await this.#trim()
    this.#wake()
  }

  /** When the service has responded to everything added so far. */
  async flushed(): Promise<void> {
    while (this.#running) await this.#running
  }

  /** Ends the delivery. What still waits stays in the queue, which is closed. */
  async stop(): Promise<void> {
    this.#stopping.abort(new LandbridgeError('stopped', 'The outbox was stopped.'))
    for (const resume of this.#room.splice(0)) resume()
    await this.#running
    await this.#queue.close()
  }

  #isFull(): boolean {
    return this.#queue.size >= this.#max
  }

  /**
   * One after the other, so that no message is dropped for two. A failure is no reason to refuse the message that was just
   * added: its caller would add it again.
   */
  #trim(): Promise<void> {
    this.#trimming = this.#trimming
      .then(async () => {
        const oldest = await this.#queue.oldest(Math.max(this.#queue.size - this.#max, 0))
        await this.#remove(oldest)
        for (const { device, telemetry } of oldest) call(this.#options.onDropped, device.id, telemetry)
      })
      .catch((error: unknown) => call(this.#options.onError, error))
    return this.#trimming
  }

  #wake(): void {
    if (this.#stopping.signal.aborted || this.#queue.size === 0) return
    this.#running ??= this.#run().finally(() => {
      this.#running = null
      // One may have come after the last look into the queue.
      this.#wake()
    })
  }

  async #run(): Promise<void> {
    // Those added in the same moment go together.
    await Promise.resolve()
    let count = callLimits.messages
    for (let failures = 0; !this.#stopping.signal.aborted; ) {
      try {
        const batch = await this.#nextBatch(count)
        if (batch.length === 0) return
        count = await this.#deliver(batch)
        failures = 0
      } catch (error) {
        if (this.#stopping.signal.aborted) return
        call(this.#options.onError, error)
        await sleep(delayOf(this.#model.transport.backoff, failures++), this.#stopping.signal).catch(() => {})
      }
    }
  }

  async #nextBatch(count: number): Promise<Queued[]> {
    for (;;) {
      const batch = await this.#queue.oldest(count)
      const gone = batch.filter(({ device }) => this.#removed.has(device.id))
      if (gone.length === 0) return batch
      await this.#remove(gone)
    }
  }

  /** How many messages the next call may have. Throws what may get better by waiting. */
  async #deliver(batch: Queued[]): Promise<number> {
    try {
      const results = await this.#model.sendMany(batch, { signal: this.#stopping.signal })
      await this.#settle(batch, results)
      return callLimits.messages
    } catch (error) {
      if (!isRefusal(error)) throw error
      // Too large, or one message spoils the others: halved until it is found.
      if (batch.length > 1) return Math.ceil(batch.length / 2)
      const [{ device, telemetry }] = batch as [Queued]
      await this.#remove(batch)
      const { status, code, message, details } = error
      call(this.#options.onRefused, { id: device.id, status: status!, code, error: message, details }, telemetry)
      return callLimits.messages
    }
  }

  async #settle(batch: Queued[], results: MassResult[]): Promise<void> {
    await this.#remove(batch)
    for (const [index, result] of results.entries()) {
      if (result.status === 200) continue
      if (result.status === 410) this.#forget(result.id)
      else call(this.#options.onRefused, result, batch[index]!.telemetry)
    }
  }

  #forget(deviceId: string): void {
    if (this.#removed.has(deviceId)) return
    this.#removed.add(deviceId)
    call(this.#options.onRemoved, deviceId)
  }

  async #remove(messages: Queued[]): Promise<void> {
    await this.#queue.remove(messages.map(({ key }) => key))
    for (const resume of this.#room.splice(0)) resume()
  }
}

/** The service itself refused the call for what is in it. A proxy's 401, 403, 404 or 413 page says nothing of the messages. */
function isRefusal(error: unknown): error is LandbridgeError {
  if (!(error instanceof LandbridgeError)) return false
  return error.status === 413 || (error.code !== 'unexpected' && (error.status === 400 || error.status === 422))
}
