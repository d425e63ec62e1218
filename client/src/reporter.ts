import type { DeviceCredentials } from './devices.ts'
import type { Telemetry } from './generated-types.ts'
import { call } from './transport.ts'

/** Whatever carries telemetry: a `DeviceModel`, a `TelemetryOutbox`, or `mqttSender`. */
export type Send<Device extends DeviceCredentials = DeviceCredentials> = (
  device: Device,
  telemetry: Telemetry,
) => Promise<unknown>

export interface ReporterOptions {
  /** A report follows the last one after this, at the latest: at random between the two, so that a fleet does not beat in step. */
  everyMs?: { least: number; most: number }
  /** Changes that come faster than this go together. */
  gatherMs?: number
  onError?(error: unknown): void
}

/** Reports the state of one device: when it changes, and every 30 to 60 s (contract 2.6). */
export class DeviceReporter<Device extends DeviceCredentials = DeviceCredentials> {
  readonly #device: Device
  readonly #send: Send<Device>
  readonly #options: ReporterOptions
  readonly #telemetries: Telemetry['telemetries'] = {}
  #status: Telemetry['status'] = 'online'
  #timer: ReturnType<typeof setTimeout> | undefined
  #changed = false
  #sending: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(device: Device, send: Send<Device>, options: ReporterOptions = {}) {
    this.#device = device
    this.#send = send
    this.#options = options
    this.#later()
  }

  /** Sets data points, and the status where given; only what differs from before is a change. Null removes one. */
  set(telemetries: Telemetry['telemetries'], status: Telemetry['status'] = this.#status): void {
    const changes = Object.entries(telemetries).some(([name, value]) => this.#telemetries[name] !== value)
    Object.assign(this.#telemetries, telemetries)
    if (!changes && status === this.#status) return
    this.#status = status
    if (this.#changed || this.#stopped) return
    this.#changed = true
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#report(), this.#options.gatherMs ?? 200)
  }

  /** Sends what changed last, then nothing more. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    if (this.#changed) this.#report()
    await this.#sending
  }

  #report(): void {
    this.#changed = false
    const telemetry = { status: this.#status, telemetries: { ...this.#telemetries } }
    this.#sending = this.#sending
      .then(() => this.#send(this.#device, telemetry))
      .then(
        () => this.#forgetRemoved(telemetry.telemetries),
        (error: unknown) => call(this.#options.onError, error),
      )
    if (!this.#stopped) this.#later()
  }

  /** What was removed is sent until one message with it is stored. */
  #forgetRemoved(sent: Telemetry['telemetries']): void {
    for (const [name, value] of Object.entries(sent)) {
      if (value === null && this.#telemetries[name] === null) delete this.#telemetries[name]
    }
  }

  #later(): void {
    const { least, most } = this.#options.everyMs ?? { least: 30_000, most: 60_000 }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#report(), least + Math.random() * (most - least))
  }
}
