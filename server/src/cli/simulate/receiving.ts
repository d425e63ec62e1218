import type { DeviceModel } from '../../../../client/src/devices.ts'
import { askOnce } from '../../../../client/src/http-way.ts'
import type { Obedience } from './obedience.ts'
import type { SimulatedDevice } from './simulated-device.ts'

/** So many devices keep a request open, so that a command reaches them at once; more learn of it with their next message. */
const mostWaiting = 200

/** Brings commands and settings to devices over HTTP. */
export class HttpReceiving {
  readonly #model: DeviceModel
  readonly #obedience: Obedience
  readonly #signal: AbortSignal
  readonly #asking = new Set<string>()
  readonly #waits: boolean

  constructor(model: DeviceModel, obedience: Obedience, devices: number, signal: AbortSignal) {
    this.#model = model
    this.#obedience = obedience
    this.#waits = devices <= mostWaiting
    this.#signal = signal
  }

  add(device: SimulatedDevice): void {
    const { id } = device.kept!
    this.#model.onNotice(id, ({ command, config_version }) => {
      if (command && !this.#waits) void this.#ask(device)
      if (config_version !== undefined && config_version !== device.settingsVersion) void this.#readSettings(device)
    })
    if (!this.#waits) return
    const inbox = this.#inboxOf(device)
    // Ends by itself when the device is removed.
    this.#model.receive(device.kept!, inbox, { signal: this.#signal, ask: 'wait' }).catch(() => {})
  }

  #inboxOf(device: SimulatedDevice) {
    return {
      wants: { commands: true, settings: true },
      command: this.#obedience.command.bind(this.#obedience),
      settings() {},
      settingsVersion: () => void this.#readSettings(device),
      error() {},
    }
  }

  async #ask(device: SimulatedDevice): Promise<void> {
    const { id } = device.kept!
    if (this.#asking.has(id)) return
    this.#asking.add(id)
    try {
      while ((await askOnce(this.#model, device.kept!, this.#inboxOf(device), 0, this.#signal)) === 'handled');
    } catch {
      // Removed, or stopped.
    } finally {
      this.#asking.delete(id)
    }
  }

  async #readSettings(device: SimulatedDevice): Promise<void> {
    const { id } = device.kept!
    const name = `${id} settings`
    if (this.#asking.has(name) || this.#signal.aborted) return
    this.#asking.add(name)
    try {
      const document = await this.#model.readSettings(device.kept!, { signal: this.#signal })
      if (document) await this.#obedience.apply(device, document)
    } catch {
      // Its next message tells of it again.
    } finally {
      this.#asking.delete(name)
    }
  }
}
