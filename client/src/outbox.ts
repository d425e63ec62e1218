import { delayOf, sleep } from './backoff.ts'
import { type Carrier, type DeviceCredentials, type MassResult, stamped } from './devices.ts'
import { type ErrorCode, LandbridgeError } from './errors.ts'
import type { Telemetry } from './generated-types.ts'
import { callLimits } from './mass-calls.ts'
import { memoryQueue, type OutboxQueue, type Queued } from './queue.ts'
import { call } from './transport.ts'

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
  /** A call failed, or some of its messages could not be taken now. They stay and are sent again. */
  onError?(error: unknown): void
}

/** How far the messages of one hub are delivered, one call after the other: a hub that is down holds up only its own. */
interface HubProgress {
  /** No message up to this key is for this hub. */
  after: number
  /** Messages of the next call. */
  count: number
  /** Something came since it last looked. */
  isWoken: boolean
  /** Null while nothing waits for this hub. */
  running: Promise<void> | null
}

/** A device whose last message could not be taken: it and those behind it wait, and hold up no other device's. */
interface Rest {
  failures: number
  /** Null once it is over, until the next message shows whether it helped. */
  over: Promise<void> | null
}

/**
 * Takes messages at once and delivers them in order, through outages, in mass calls (`DeviceModel`) or over MQTT
 * (`MqttSender`): each is stamped when it is added, so that what is sent twice is stored once and what is sent late keeps
 * its own time.
 */
export class TelemetryOutbox<Device extends DeviceCredentials = DeviceCredentials> {
  readonly #carrier: Carrier<Device>
  readonly #options: OutboxOptions
  readonly #queue: OutboxQueue
  readonly #max: number
  readonly #removed = new Set<string>()
  readonly #stopping = new AbortController()
  /** By the hub's address. */
  readonly #progress = new Map<string, HubProgress>()
  /** By the device's id. */
  readonly #resting = new Map<string, Rest>()
  #room: (() => void)[] = []
  #trimming: Promise<void> = Promise.resolve()
  #looking: Promise<void>

  constructor(carrier: Carrier<Device>, options: OutboxOptions = {}) {
    this.#carrier = carrier
    this.#options = options
    this.#queue = options.queue ?? memoryQueue()
    this.#max = options.max ?? 100_000
    this.#looking = this.#wakeForWaiting()
  }

  get waiting(): number {
    return this.#queue.size
  }

  /** Resolves once the queue has the message. */
  async add(device: Device, telemetry: Telemetry): Promise<void> {
    this.#stopping.signal.throwIfAborted()
    if (this.#removed.has(device.id)) return
    const { id, access_key, hub_url, mqtt_hub_url } = device as Device & { mqtt_hub_url?: string }
    const kept = { id, access_key, hub_url, ...(mqtt_hub_url === undefined ? {} : { mqtt_hub_url }) }
    const message = { device: kept, telemetry: stamped(telemetry) }
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
    this.#wake(this.#carrier.hubOf(device))
  }

  /** When the service has responded to everything added so far. */
  async flushed(): Promise<void> {
    await this.#looking
    const underWay = () => [
      ...[...this.#progress.values()].flatMap(({ running }) => running ?? []),
      ...[...this.#resting.values()].flatMap(({ over }) => over ?? []),
    ]
    while (underWay().length > 0) await Promise.all(underWay())
  }

  /** Ends the delivery. What still waits stays in the queue, which is closed. */
  async stop(): Promise<void> {
    this.#stopping.abort(new LandbridgeError('stopped', 'The outbox was stopped.'))
    for (const resume of this.#room.splice(0)) resume()
    await this.flushed()
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

  /** What an earlier process left behind. */
  async #wakeForWaiting(): Promise<void> {
    await this.#trying(async () => {
      for (let after = 0; ; ) {
        const messages = await this.#read(callLimits.messages, after)
        if (messages.length === 0) return false
        for (const message of messages) this.#wake(this.#hubOf(message), message.key - 1)
        after = messages.at(-1)!.key
      }
    })
  }

  /** `after`: the message that follows it is for this hub. A new one came if left out. */
  #wake(hub: string, after = Number.MAX_SAFE_INTEGER): void {
    if (this.#stopping.signal.aborted) return
    const progress = this.#progress.get(hub) ?? { after: 0, count: callLimits.messages, isWoken: false, running: null }
    this.#progress.set(hub, progress)
    if (after < progress.after || after === Number.MAX_SAFE_INTEGER) {
      progress.after = Math.min(after, progress.after)
      progress.isWoken = true
    }
    progress.running ??= this.#run(hub, progress)
  }

  async #run(hub: string, progress: HubProgress): Promise<void> {
    // Those added in the same moment go together.
    await Promise.resolve()
    await this.#trying(async () => {
      const batch = await this.#nextBatch(hub, progress)
      if (batch.length > 0) await this.#deliver(hub, batch, progress)
      return batch.length > 0 || progress.isWoken
    })
    progress.running = null
    // In the moment of its end.
    if (progress.isWoken) this.#wake(hub)
  }

  /** Works while there is more to do. After a failure it waits, longer each time. */
  async #trying(work: () => Promise<boolean>): Promise<void> {
    for (let failures = 0; !this.#stopping.signal.aborted; ) {
      try {
        if (!(await work())) return
        failures = 0
      } catch (error) {
        if (this.#stopping.signal.aborted) return
        call(this.#options.onError, error)
        await sleep(delayOf(this.#carrier.backoff, failures++), this.#stopping.signal).catch(() => {})
      }
    }
  }

  /** The oldest of this hub, where those of other hubs may stand before and between them. */
  async #nextBatch(hub: string, progress: HubProgress): Promise<Queued[]> {
    progress.isWoken = false
    for (let { after } = progress; ; ) {
      const messages = await this.#read(progress.count, after)
      const batch = messages.filter((message) => {
        const now = this.#hubOf(message)
        if (now !== hub) this.#wake(now, message.key - 1)
        return now === hub && !this.#resting.get(message.device.id)?.over
      })
      if (messages.length === 0 || batch.length > 0) return batch
      after = messages.at(-1)!.key
      if (!progress.isWoken) progress.after = after
    }
  }

  /** Without those of devices that are gone. */
  async #read(count: number, after: number): Promise<Queued[]> {
    for (;;) {
      const messages = (await this.#queue.oldest(count, after)).filter(({ key }) => key > after)
      const gone = messages.filter(({ device }) => this.#removed.has(device.id))
      if (gone.length === 0) return messages
      await this.#remove(gone)
    }
  }

  /** Throws what may get better by waiting. */
  async #deliver(hub: string, batch: Queued[], progress: HubProgress): Promise<void> {
    try {
      const results = await this.#carrier.sendOnce(batch as (Queued & { device: Device })[], {
        signal: this.#stopping.signal,
      })
      progress.count = callLimits.messages
      await this.#settle(batch, results)
    } catch (error) {
      if (!isRefusal(error)) throw error
      // Too large, or one message spoils the others: halved until it is found.
      progress.count = batch.length > 1 ? Math.ceil(batch.length / 2) : callLimits.messages
      if (batch.length > 1) return
      const [{ device, telemetry }] = batch as [Queued]
      await this.#remove(batch)
      const { status, code, message, details } = error
      call(this.#options.onRefused, { id: device.id, status: status!, code, error: message, details }, telemetry)
    } finally {
      // Devices moved, or came back from a hub that nobody reaches.
      for (const message of batch) {
        const now = this.#hubOf(message)
        if (now !== hub) this.#wake(now, message.key - 1)
      }
    }
  }

  async #settle(batch: Queued[], results: (MassResult | 'moved')[]): Promise<void> {
    await this.#remove(batch.filter((_, index) => isFinal(results[index]!)))
    const passing: MassResult[] = []
    for (const [index, result] of results.entries()) {
      const message = batch[index]!
      if (result === 'moved') continue
      if (!isFinal(result)) {
        passing.push(result)
        this.#rest(message)
      } else if (result.status === 410) this.#forget(result.id)
      else if (result.status === 200) this.#resting.delete(result.id)
      else call(this.#options.onRefused, result, message.telemetry)
    }
    const [first] = passing
    if (!first) return
    const { code = 'unexpected', error = '', status } = first
    call(this.#options.onError, new LandbridgeError(code, error, { status }))
  }

  /** Longer each time. Of a device's messages the oldest comes first, and is where to go on. */
  #rest(message: Queued): void {
    const { id } = message.device
    const before = this.#resting.get(id)
    if (before?.over) return
    const failures = (before?.failures ?? -1) + 1
    const rest: Rest = { failures, over: null }
    rest.over = sleep(delayOf(this.#carrier.backoff, failures), this.#stopping.signal)
      .catch(() => {})
      .then(() => {
        rest.over = null
        this.#wake(this.#hubOf(message), message.key - 1)
      })
    this.#resting.set(id, rest)
  }

  #hubOf({ device }: Queued): string {
    return this.#carrier.hubOf(device as Device)
  }

  #forget(deviceId: string): void {
    if (this.#removed.has(deviceId)) return
    this.#removed.add(deviceId)
    this.#resting.delete(deviceId)
    call(this.#options.onRemoved, deviceId)
  }

  async #remove(messages: Queued[]): Promise<void> {
    await this.#queue.remove(messages.map(({ key }) => key))
    for (const resume of this.#room.splice(0)) resume()
  }
}

/** Taken, or refused for what it is. Where a device moved, or the service cannot take it now, the message stays. */
function isFinal(result: MassResult | 'moved'): result is MassResult {
  return result !== 'moved' && result.status !== 421 && result.status < 500
}

const codesOfRefusals: ErrorCode[] = ['invalid', 'malformed_json', 'too_large']

/** The service itself refused the call for what is in it. A proxy's 401, 403, 404 or 413 page says nothing of the messages. */
function isRefusal(error: unknown): error is LandbridgeError {
  return error instanceof LandbridgeError && (error.status === 413 || codesOfRefusals.includes(error.code))
}
