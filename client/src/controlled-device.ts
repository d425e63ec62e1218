import { type CommandContext, type CommandHandler, CommandRunner, type HandlerOptions } from './command-runner.ts'
import { type CommandStore, memoryCommandStore } from './command-store.ts'
import type { CommandTypes, DefinedCommands, Value } from './command-types.ts'
import type { LandbridgeError } from './errors.ts'
import { type SettingsHandler, SettingsSync } from './settings-sync.ts'
import { call } from './transport.ts'
import type { Inbox, ReceiveOptions, Way } from './ways.ts'

export interface ControlledOptions<Types extends CommandTypes> {
  /** Where it is remembered which commands were executed. In memory if left out: then a restart may execute one again. */
  store?: CommandStore
  /** What `defineCommands` returned: handlers get its types, and parameters that do not fit are rejected. */
  commands?: DefinedCommands<Types>
  /**
   * Over HTTP: `wait` (if left out) keeps a request open, so that a command comes at once; `telemetry` asks when the response
   * to one of the device's messages says that there is something. Both need the messages to go through the same `DeviceModel`
   * to learn of new settings at once.
   */
  ask?: ReceiveOptions['ask']
  /** It receives nothing more: the device was removed (`DeviceRemoved`), or has another key by now. */
  onEnded?(error: LandbridgeError): void
  /** Something failed, and is tried again. */
  onError?(error: unknown): void
}

/** Settings are read again after so long, even if no message announced a new version. */
const rereadMs = 300_000

/** What `stop` waits for the handlers. */
const graceMs = 10_000

/** A device that executes commands and follows its settings. */
export class ControlledDevice<
  Device extends { id: string },
  Types extends CommandTypes = Record<string, Record<string, Value>>,
> {
  readonly #device: Device
  readonly #way: Way<Device>
  readonly #options: ControlledOptions<Types>
  readonly #runner: CommandRunner
  readonly #settings: SettingsSync
  readonly #stopping = new AbortController()
  #receiving: Promise<void> | null = null

  constructor(device: Device, way: Way<Device>, options: ControlledOptions<Types> = {}) {
    const { store = memoryCommandStore(), commands, onError } = options
    const { backoff } = way
    this.#device = device
    this.#way = way
    this.#options = options
    this.#runner = new CommandRunner({
      ...{ store, backoff, declared: commands, onError },
      report: (_, report) => way.report(device, report),
    })
    this.#settings = new SettingsSync({
      ...{ backoff, onError },
      read: () => way.readSettings(device),
      report: (report) => way.reportSettings(device, report),
    })
  }

  /** What the device does when it gets this command. A command without a handler is rejected. */
  onCommand<Name extends keyof Types & string>(
    name: Name,
    handler: (parameters: Types[Name], context: CommandContext) => unknown,
    options: HandlerOptions<Types[Name]> = {},
  ): this {
    this.#runner.on(name, handler as CommandHandler, options as HandlerOptions)
    return this
  }

  /** What the device does when it is to be set to something: at the start, and whenever the settings change. */
  onSettings(handler: SettingsHandler): this {
    this.#settings.on(handler)
    return this
  }

  /** From now on it receives; first it finishes what an earlier process left. The handlers come before this. */
  async start(): Promise<void> {
    if (this.#receiving) return
    await this.#runner.recover(this.#device.id)
    const { signal } = this.#stopping
    const inbox: Inbox = {
      wants: { commands: this.#runner.hasHandlers, settings: this.#settings.isWanted },
      command: (command, leftMs) => this.#runner.handle(command, leftMs),
      settings: (document) => this.#settings.offer(document),
      settingsVersion: (version) => this.#settings.offerVersion(version),
      error: (error) => call(this.#options.onError, error),
    }
    const reread = () => {
      if (!this.#way.bringsSettings) void this.#settings.refresh()
    }
    const timer = setInterval(reread, rereadMs * (0.8 + 0.4 * Math.random()))
    this.#receiving = this.#way
      .receive(this.#device, inbox, { signal, ask: this.#options.ask ?? 'wait' })
      .catch(async (error: LandbridgeError) => {
        if (signal.aborted) return
        call(this.#options.onEnded, error)
        await this.#runner.stop(0)
      })
      .finally(() => clearInterval(timer))
    reread()
  }

  /**
   * Somebody changed these at the device itself: they are what is wanted from now on, also if others are on their way. With
   * `baseVersion` the change is refused with `settings_changed` if there is a newer version. Returns the new version.
   */
  async changeSettings(values: Record<string, Value>, options: { baseVersion?: number } = {}): Promise<number> {
    return await this.#settings.change(values, options.baseVersion)
  }

  /** Begins nothing more, and waits up to 10 s for what is under way. The store stays open. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([this.#runner.stop(graceMs), this.#settings.stop(graceMs), this.#receiving])
  }
}
